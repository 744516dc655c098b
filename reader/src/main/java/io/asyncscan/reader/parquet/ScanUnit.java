// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.FileRef;
import java.io.Serializable;

/** What a task reads with one call of the reader. */
public sealed interface ScanUnit extends Serializable {

    /** The file. */
    FileRef file();

    /** Bytes to be fetched, as far as they are known when partitions are made. */
    long bytes();

    /** A run that was planned on the driver. */
    record Planned(RunPlan run) implements ScanUnit {
        private static final long serialVersionUID = 1L;

        @Override
        public FileRef file() {
            return run.file();
        }

        @Override
        public long bytes() {
            return run.bytes();
        }
    }

    /**
     * The row groups whose middle lies in {@code [from, to)} of a file whose footer the task reads itself.
     *
     * @param from first byte of the split
     * @param to first byte behind it
     */
    record Split(FileRef file, long from, long to) implements ScanUnit {
        private static final long serialVersionUID = 1L;

        @Override
        public long bytes() {
            return to - from;
        }
    }
}
