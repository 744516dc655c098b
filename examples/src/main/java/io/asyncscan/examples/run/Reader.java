// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.run;

import java.util.Map;

/**
 * A way to read files.
 *
 * @param name what people call it
 * @param format what {@code spark.read.format} is given for Parquet
 * @param conf SQL settings it runs with
 */
public record Reader(String name, String format, Map<String, String> conf) {
    /** Whether Spark's own scans read ahead: the session has the extension, and each reader says whether it is used. */
    private static final String EXTENSION_ENABLED = "spark.asyncscan.enabled";

    /** What Spark does by itself. */
    public static final Reader SPARK = new Reader("Spark's own reader", "parquet", Map.of(EXTENSION_ENABLED, "false"));

    /** The same without pushing filters into Parquet: no page indexes are read, so far fewer requests are sent. */
    public static final Reader SPARK_WITHOUT_PUSHDOWN = new Reader(
            "Spark's, no push-down",
            "parquet",
            Map.of(EXTENSION_ENABLED, "false", "spark.sql.parquet.filterPushdown", "false"));

    /** asyncscan as it comes, without an option. */
    public static final Reader ASYNCSCAN = new Reader("asyncscan", "asyncscan", Map.of(EXTENSION_ENABLED, "false"));

    /** The job as it is for Spark's own reader, with the session extension on. */
    public static final Reader EXTENSION =
            new Reader("session extension", "parquet", Map.of(EXTENSION_ENABLED, "true"));

    /** What {@code spark.read.format} is given: Spark has a format for each kind of file. */
    String format(Source source) {
        return format.equals(SPARK.format) ? source.format() : format;
    }

    /** asyncscan's place taken by another format, to try the programs themselves. */
    public Reader withFormat(String other) {
        return new Reader(name, other, conf);
    }
}
