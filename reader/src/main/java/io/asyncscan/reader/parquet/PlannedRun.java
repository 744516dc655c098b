// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.storage.FileRef;

/** A run of row groups that was planned on the driver. */
public record PlannedRun(RunPlan run) implements ScanUnit {
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
