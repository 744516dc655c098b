// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.Serializable;

/**
 * Bytes {@code [offset, offset + length)} of one file.
 *
 * @param offset first byte (0-based)
 * @param length number of bytes, at least 1
 */
public record ByteRange(long offset, long length) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Rejects empty and negative ranges. */
    public ByteRange {
        if (offset < 0 || length < 1) {
            throw new IllegalArgumentException("no range: offset " + offset + ", length " + length);
        }
    }

    /** The range {@code [from, to)}. */
    public static ByteRange between(long from, long to) {
        return new ByteRange(from, to - from);
    }

    /** First byte behind the range. */
    public long end() {
        return offset + length;
    }

    @Override
    public String toString() {
        return "[" + offset + ", " + end() + ")";
    }
}
