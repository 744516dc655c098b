// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.run;

import io.asyncscan.examples.s3.Traffic;
import io.asyncscan.examples.tpch.Query;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Runs queries one after another on one local Spark session, which it owns. For one thread. */
public final class Runner implements AutoCloseable {
    private static final String VIEW = "lineitem";

    private final SparkSession spark;
    private final TaskCpu taskCpu = new TaskCpu();

    /**
     * Starts Spark in this process, without UI.
     *
     * @param cores number of task threads
     * @param conf further settings
     */
    public Runner(int cores, Map<String, String> conf) {
        SparkSession.Builder builder = SparkSession.builder()
                .master("local[" + cores + "]")
                .appName("asyncscan examples")
                .config("spark.ui.enabled", "false")
                .config("spark.ui.showConsoleProgress", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", cores)
                .config("spark.sql.extensions", "io.asyncscan.connector.AsyncScanExtensions");
        conf.forEach(builder::config);
        spark = builder.getOrCreate();
        spark.sparkContext().addSparkListener(taskCpu);
    }

    /**
     * Runs a query over Parquet that returns one row.
     *
     * @param path file or directory that is read
     * @param traffic counts of the server that has it; reset at the start
     */
    public Run run(Reader reader, Query query, String path, Traffic traffic) throws InterruptedException {
        return run(reader, query, Source.parquet(path), traffic);
    }

    /**
     * Runs a query that returns one row.
     *
     * @param traffic counts of the server that has the source; reset at the start
     */
    public Run run(Reader reader, Query query, Source source, Traffic traffic) throws InterruptedException {
        reader.conf().forEach(spark.conf()::set);
        try {
            // Neither reader shall pay for what the other left behind.
            System.gc();
            taskCpu.reset();
            traffic.reset();
            long start = System.nanoTime();
            read(reader, source).createOrReplaceTempView(VIEW);
            Dataset<Row> answer = spark.sql(query.sql(VIEW));
            List<Row> rows = answer.collectAsList();
            double seconds = (double) (System.nanoTime() - start) / 1e9;
            if (rows.size() != 1) {
                throw new IllegalStateException(query + " returned " + rows.size() + " rows");
            }
            OptionalDouble stall =
                    PlanMetrics.stallSeconds(answer.queryExecution().executedPlan());
            return new Run(
                    seconds,
                    taskCpu.awaitSeconds(),
                    stall,
                    traffic.snapshot(),
                    rows.get(0).mkString(","));
        } finally {
            reader.conf().keySet().forEach(spark.conf()::unset);
        }
    }

    private Dataset<Row> read(Reader reader, Source source) {
        DataFrameReader read = spark.read().format(reader.format(source)).options(source.options());
        return (source.schema().isEmpty() ? read : read.schema(source.schema())).load(source.path());
    }

    /** Spark's version. */
    public String version() {
        return spark.version();
    }

    @Override
    public void close() {
        spark.stop();
    }
}
