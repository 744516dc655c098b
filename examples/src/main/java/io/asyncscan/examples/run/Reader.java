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
    /** What Spark does by itself. */
    public static final Reader SPARK = new Reader("Spark's own reader", "parquet", Map.of());

    /** The same without pushing filters into Parquet: no page indexes are read, so far fewer requests are sent. */
    public static final Reader SPARK_WITHOUT_PUSHDOWN =
            new Reader("Spark's, no push-down", "parquet", Map.of("spark.sql.parquet.filterPushdown", "false"));

    /** asyncscan as it comes, without an option. */
    public static final Reader ASYNCSCAN = new Reader("asyncscan", "asyncscan", Map.of());

    /** What {@code spark.read.format} is given: Spark has a format for each kind of file. */
    String format(Source source) {
        return format.equals(SPARK.format) ? source.format() : format;
    }

    /** asyncscan's place taken by another format, to try the programs themselves. */
    public Reader withFormat(String other) {
        return new Reader(name, other, conf);
    }
}
