// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

/**
 * The last bytes of a file.
 *
 * @param file the file, pinned to the version the bytes belong to
 * @param bytes the last {@code bytes.length} bytes of it; owned by the receiver
 */
public record FileTail(FileRef file, byte[] bytes) {
    /** Offset in the file of the first byte (bytes). */
    public long offset() {
        return file.length() - bytes.length;
    }
}
