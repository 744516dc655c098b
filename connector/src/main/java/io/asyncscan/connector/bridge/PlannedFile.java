// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import org.apache.spark.sql.execution.datasources.PartitionedFile;

/**
 * A file of a {@link PartitionScan}: what the file scan of Spark's hands to its reader function, from which that learns
 * which scan it belongs to. Made in the task and used in it.
 *
 * <p>Internals: extends {@link PartitionedFile}, because it is the only thing that gets from an RDD above Spark's file
 * scan to the reader function below it, whatever else the task computes, and whichever thread does.
 */
final class PlannedFile extends PartitionedFile {
    private static final long serialVersionUID = 1L;

    private final transient PartitionScan scan;
    private final int index;

    /**
     * The file as the {@code index}th of {@code scan}.
     *
     * @param file as Spark planned it
     */
    PlannedFile(PartitionedFile file, PartitionScan scan, int index) {
        super(
                file.partitionValues(),
                file.filePath(),
                file.start(),
                file.length(),
                file.locations(),
                file.modificationTime(),
                file.fileSize(),
                file.otherConstantMetadataColumnValues());
        this.scan = scan;
        this.index = index;
    }

    PartitionScan scan() {
        return scan;
    }

    int index() {
        return index;
    }
}
