// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import java.io.Serializable;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The options of one read. Immutable and serializable; equal options are equal objects.
 *
 * @param fileFormat the format, or {@code AUTO} to go by file endings
 * @param readAheadDepth -1 governed by memory, N at most N jobs ahead, 0 off
 * @param readAheadMaxBytes most bytes a task's read-ahead may hold
 * @param partSize longest single request (bytes)
 * @param maxCoalesceGap gap up to which ranges merge (bytes), or -1 for what the store's latency suggests
 * @param maxOverRead share of fetched bytes nobody asked for, in [0, 1)
 * @param hedge whether a request that a task waits for too long is sent a second time
 * @param maxAttempts attempts of one request, at least 1
 * @param retryBaseDelay first pause between attempts
 * @param progressTimeout how long an attempt may take without progress
 * @param footerPlanningMaxFiles above this number of files, footers are read by the tasks
 * @param maxPartitionBytes bytes fetched per partition, or -1 for Spark's {@code spark.sql.files.maxPartitionBytes}
 */
public record ReadOptions(
        FileFormat fileFormat,
        int readAheadDepth,
        long readAheadMaxBytes,
        int partSize,
        long maxCoalesceGap,
        double maxOverRead,
        boolean hedge,
        int maxAttempts,
        Duration retryBaseDelay,
        Duration progressTimeout,
        int footerPlanningMaxFiles,
        long maxPartitionBytes)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /** What the files are. */
    public enum FileFormat {
        /** Whatever their endings say. */
        AUTO,
        /** Apache Parquet. */
        PARQUET,
        /** Comma-separated values, or separated by anything else. */
        CSV,
        /** JSON: a document a line, or with {@code multiLine} a file. */
        JSON,
        /** Lines, or with {@code wholetext} files, as one column. */
        TEXT;

        /** The values of the option, for messages. */
        static String allowed() {
            return Arrays.stream(values())
                    .filter(format -> format != AUTO)
                    .map(FileFormat::toString)
                    .collect(Collectors.joining(", "));
        }

        /** As the option spells it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The gap up to which ranges merge (bytes), if it was set. */
    public OptionalLong fixedCoalesceGap() {
        return maxCoalesceGap < 0 ? OptionalLong.empty() : OptionalLong.of(maxCoalesceGap);
    }

    /** Bytes fetched per partition, if it was set. */
    public OptionalLong fixedPartitionBytes() {
        return maxPartitionBytes < 0 ? OptionalLong.empty() : OptionalLong.of(maxPartitionBytes);
    }
}
