// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import java.util.function.Supplier;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.internal.connector.SupportsMetadata;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A version 2 file scan of Spark's as the session extension puts it into a plan: its partitions are Spark's, its bytes
 * are fetched by asyncscan, and it has asyncscan's metrics. Lives on the driver.
 *
 * <p>Internals: {@link FileScan}, Spark's scan; {@link SupportsMetadata}, by which it describes itself in plans.
 */
final class SwappedFileScan implements Scan, Batch, SupportsMetadata {
    private static final Logger LOG = LoggerFactory.getLogger(SwappedFileScan.class);

    private final FileScan spark;

    /** Spark's own readers, made once for the node this scan came from: each making is a broadcast. */
    private final Supplier<PartitionReaderFactory> sparks;

    private final ReadOptions readOptions;
    private final MetricSource metrics;

    /**
     * Stands in for {@code spark}, which is one of those that {@link VersionTwoScan} knows.
     *
     * @param sparks Spark's own readers for it
     */
    SwappedFileScan(
            FileScan spark, Supplier<PartitionReaderFactory> sparks, ReadOptions readOptions, MetricSource metrics) {
        this.spark = spark;
        this.sparks = sparks;
        this.readOptions = readOptions;
        this.metrics = metrics;
    }

    /** Where its files are, as it may be shown. */
    String location() {
        return Locations.describe(CollectionConverters.asJava(spark.fileIndex().rootPaths()));
    }

    @Override
    public StructType readSchema() {
        return spark.readSchema();
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return spark.planInputPartitions();
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        try {
            boolean columnar = VersionTwoScan.isColumnar(spark, sparks.get());
            return new SwappedReaderFactory(VersionTwoScan.readTask(spark, columnar, readOptions), columnar, metrics);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("asyncscan cannot read ahead; Spark's own reader is used", e);
            return sparks.get();
        }
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return metrics.all();
    }

    @Override
    public String description() {
        return spark.description();
    }

    @Override
    public Map<String, String> getMetaData() {
        return spark.getMetaData();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SwappedFileScan scan && scan.spark.equals(spark);
    }

    @Override
    public int hashCode() {
        return spark.hashCode();
    }
}
