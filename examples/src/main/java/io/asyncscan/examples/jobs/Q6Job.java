// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.jobs;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/**
 * TPC-H Q6 on lineitem files anywhere Spark reads from.
 *
 * <pre>{@code
 * spark-submit --jars asyncscan-spark_2.13-<version>.jar \
 *   --class io.asyncscan.examples.jobs.Q6Job asyncscan-examples-<version>.jar s3a://bucket/lineitem/
 * }</pre>
 */
public final class Q6Job {
    private Q6Job() {}

    /** Takes the path, and optionally a format other than {@code asyncscan} to compare with. */
    public static void main(String[] args) throws IOException {
        if (args.length < 1 || args.length > 2) {
            System.err.println("Usage: Q6Job PATH [FORMAT]");
            System.exit(2);
        }
        String format = args.length == 2 ? args[1] : "asyncscan";
        try (SparkSession spark =
                SparkSession.builder().appName("TPC-H Q6 by " + format).getOrCreate()) {
            spark.read().format(format).load(args[0]).createOrReplaceTempView("lineitem");
            spark.sql("""
                            SELECT sum(l_extendedprice * l_discount) AS revenue
                            FROM lineitem
                            WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
                              AND l_discount BETWEEN 0.05 AND 0.07
                              AND l_quantity < 24
                            """).show();
        }
    }
}
