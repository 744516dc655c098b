// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import java.util.List;

/** Every option key. Each is a read option as it stands, and a session or Spark setting behind {@link #PREFIX}. */
public final class OptionKeys {
    /** What settings of a session or of the SparkConf start with. */
    public static final String PREFIX = "spark.asyncscan.";

    /** {@code parquet}, {@code csv}, {@code json} or {@code text}; by file ending if it is not given. */
    public static final String FILE_FORMAT = "fileFormat";

    /** -1 governed by memory, N at most N jobs ahead, 0 off. */
    public static final String READ_AHEAD_DEPTH = "readAheadDepth";

    /** Most bytes a task's read-ahead may hold. */
    public static final String READ_AHEAD_MAX_BYTES = "readAheadMaxBytes";

    /** Longest single request. */
    public static final String PART_SIZE = "partSize";

    /** Gap up to which ranges merge, or {@code auto}. */
    public static final String MAX_COALESCE_GAP = "maxCoalesceGap";

    /** Share of fetched bytes nobody asked for. */
    public static final String MAX_OVER_READ = "maxOverRead";

    /** {@code auto}: a request that a task waits for too long is sent a second time; {@code off}: none is. */
    public static final String HEDGE = "hedge";

    /** Attempts of one request. */
    public static final String MAX_ATTEMPTS = "maxAttempts";

    /** First pause between attempts. */
    public static final String RETRY_BASE_DELAY = "retryBaseDelay";

    /** How long an attempt may take without progress. */
    public static final String PROGRESS_TIMEOUT = "progressTimeout";

    /** Above this number of files, footers are read by the tasks. */
    public static final String FOOTER_PLANNING_MAX_FILES = "footerPlanningMaxFiles";

    /** Bytes fetched per partition. */
    public static final String MAX_PARTITION_BYTES = "maxPartitionBytes";

    /** Whether the session extension takes scans; a setting of the session. */
    public static final String ENABLED = "enabled";

    /** Schemes whose scans the session extension takes; a setting of the session. */
    public static final String EXTENSION_SCHEMES = "extensionSchemes";

    /** Size of the ASYNC pool; SparkConf only. */
    public static final String ASYNC_THREADS = "asyncThreads";

    /** Share of free memory that read-ahead of an executor may hold; SparkConf only. */
    public static final String MEMORY_FRACTION = "memoryFraction";

    /** Keys that a read, a session or the SparkConf may set. */
    static final List<String> READ_KEYS = List.of(
            FILE_FORMAT,
            READ_AHEAD_DEPTH,
            READ_AHEAD_MAX_BYTES,
            PART_SIZE,
            MAX_COALESCE_GAP,
            MAX_OVER_READ,
            HEDGE,
            MAX_ATTEMPTS,
            RETRY_BASE_DELAY,
            PROGRESS_TIMEOUT,
            FOOTER_PLANNING_MAX_FILES,
            MAX_PARTITION_BYTES);

    /** Keys that a session or the SparkConf may set, for reads that know nothing of asyncscan. */
    static final List<String> SESSION_KEYS = List.of(ENABLED, EXTENSION_SCHEMES);

    /** Keys that hold for a whole executor. */
    static final List<String> EXECUTOR_KEYS = List.of(ASYNC_THREADS, MEMORY_FRACTION);

    private OptionKeys() {}
}
