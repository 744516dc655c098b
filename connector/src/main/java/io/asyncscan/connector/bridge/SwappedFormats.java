// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;

/**
 * The formats of Spark's that have one of ours to stand in for them.
 *
 * <p>Internals: {@link FileFormat} and Spark's own ones. Of a subclass nothing is known but that it reads otherwise than
 * Spark's own, so only these very classes are taken, and those that fetch through asyncscan already.
 */
final class SwappedFormats {
    private SwappedFormats() {}

    static boolean isKnown(FileFormat format) {
        return format.getClass() == ParquetFileFormat.class || format instanceof AsyncParquetFormat;
    }

    /** What stands in for {@code format}, which is one of those that are known. */
    static FileFormat of(FileFormat format, ReadOptions options) {
        return format instanceof AsyncParquetFormat
                ? format
                : new SwappedParquetFormat((ParquetFileFormat) format, options);
    }
}
