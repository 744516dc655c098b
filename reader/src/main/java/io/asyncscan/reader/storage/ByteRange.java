// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.Serializable;

/**
 * Some consecutive bytes of a file.
 *
 * @param offset first byte (0-based)
 * @param length number of bytes, at least 0; may exceed what an array holds
 */
public record ByteRange(long offset, long length) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Rejects a negative offset or length, and an end that no file has. */
    public ByteRange {
        if (offset < 0 || length < 0 || offset > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException("no range has offset " + offset + " and length " + length);
        }
    }

    /** The bytes from {@code offset} up to, not including, {@code end}. */
    public static ByteRange between(long offset, long end) {
        return new ByteRange(offset, end - offset);
    }

    /** One past the last byte. */
    public long end() {
        return offset + length;
    }

    /** Whether every byte of {@code other} is one of this range. */
    public boolean contains(ByteRange other) {
        return offset <= other.offset && other.end() <= end();
    }
}
