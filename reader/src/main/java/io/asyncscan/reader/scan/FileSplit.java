// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.scan;

import io.asyncscan.reader.storage.FileRef;

/**
 * The part {@code [from, to)} of a file, of which nothing is known but where it lies. What belongs to it is for its
 * format to say: the row groups whose middle lies in it, the lines that start in it.
 *
 * @param from first byte of the split
 * @param to first byte behind it
 */
public record FileSplit(FileRef file, long from, long to) implements ScanUnit {
    private static final long serialVersionUID = 1L;

    @Override
    public long bytes() {
        return to - from;
    }
}
