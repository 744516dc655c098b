// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;

/**
 * One file, pinned to the version that planning saw. Every range of a scan is read through the same reference, so bytes
 * of two versions cannot be mixed: a store that knows entity tags is asked for exactly this one, any other file is
 * checked against length and modification time.
 *
 * @param path the file's path as the user's file system names it, scheme included
 * @param length length of the file (bytes, at least 0) as listed
 * @param modificationTime as listed (ms since the epoch), 0 when the file system has none
 * @param etag entity tag as the store sent it, quotes included, or {@code null} when it is not known
 */
public record FileRef(String path, long length, long modificationTime, String etag) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Rejects a missing path and a negative length. */
    public FileRef {
        Objects.requireNonNull(path, "path");
        if (length < 0) {
            throw new IllegalArgumentException("negative length " + length + " for " + path);
        }
    }

    /** A file of which only what the listing says is known. */
    public static FileRef listed(String path, long length, long modificationTime) {
        return new FileRef(path, length, modificationTime, null);
    }

    /** The entity tag every read insists on, if one is known. */
    public Optional<String> version() {
        return Optional.ofNullable(etag);
    }

    /** The same file pinned to {@code tag}; a {@code null} tag leaves it as it is. */
    public FileRef pinnedTo(String tag) {
        return tag == null || tag.equals(etag) ? this : new FileRef(path, length, modificationTime, tag);
    }
}
