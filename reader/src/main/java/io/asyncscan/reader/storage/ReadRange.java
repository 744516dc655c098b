// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.util.Objects;

/**
 * The bytes one read is about, for requests and messages.
 *
 * @param file the file they belong to
 * @param offset first byte (0-based)
 * @param length number of bytes, at least 1
 */
record ReadRange(FileRef file, long offset, int length) {

    /** Rejects what is not within the file, before anybody sends a request for it. */
    ReadRange {
        if (length < 1 || offset < 0 || offset > file.length() - length) {
            throw new IllegalArgumentException("range of " + length + " bytes at " + offset + " is not within "
                    + file.path() + ", which has " + file.length() + " bytes");
        }
    }

    /** The last {@code length} bytes of {@code file}. */
    static ReadRange tail(FileRef file, int length) {
        return new ReadRange(file, file.length() - length, length);
    }

    /** Rejects a part of {@code target} that cannot take the range. */
    void checkTarget(byte[] target, int at) {
        Objects.checkFromIndexSize(at, length, target.length);
    }

    /** Last byte, included. */
    long last() {
        return offset + length - 1;
    }

    boolean isWholeFile() {
        return offset == 0 && length == file.length();
    }

    /** {@code s3a://bucket/key bytes 10-19 (wanted 10, got 3)}. */
    String describe(int received) {
        return file.path() + " bytes " + offset + "-" + last() + " (wanted " + length + ", got " + received + ")";
    }
}
