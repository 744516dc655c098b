// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.AbstractAsyncScanBuilder.PushedDown;
import io.asyncscan.connector.bridge.ExplainedScan;
import io.asyncscan.connector.bridge.Locations;
import io.asyncscan.connector.bridge.ReadTask;
import io.asyncscan.connector.bridge.ScanSupport;
import io.asyncscan.connector.bridge.ScanSupport.ListedFile;
import io.asyncscan.connector.options.ReadOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * One scan. Lives on the driver; what goes to the executors is made of it by {@link #planInputPartitions} and
 * {@link #createReaderFactory}.
 *
 * <p>Equal scans read the same rows: Spark reuses exchanges and subqueries by that.
 */
final class AsyncScan extends ExplainedScan implements Batch, SupportsReportStatistics, SupportsRuntimeV2Filtering {
    private final PushedDown pushed;
    private final ReadOptions options;
    private final ScanSupport support;
    private final StructType readSchema;
    private final boolean columnar;

    /** Filters that became known while the query runs. */
    private List<Predicate> runtimeFilters = List.of();

    private ReadTask readTask;
    private PartitionPlanner planner;
    private PartitionPlanner.Plan plan;

    AsyncScan(PushedDown pushed, ReadOptions options) {
        this.pushed = pushed;
        this.options = options;
        this.support = new ScanSupport(pushed);
        StructType schema = pushed.dataColumns();
        for (StructField field : pushed.partitionColumns().fields()) {
            schema = schema.add(field);
        }
        if (pushed.metadata() != null) {
            schema = schema.add(pushed.metadata());
        }
        this.readSchema = schema;
        this.columnar = support.isColumnar(schema);
    }

    @Override
    public StructType readSchema() {
        return readSchema;
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public Scan.ColumnarSupportMode columnarSupportMode() {
        // Said here, so that planning the query does not make Spark plan partitions.
        return columnar ? Scan.ColumnarSupportMode.SUPPORTED : Scan.ColumnarSupportMode.UNSUPPORTED;
    }

    private synchronized ReadTask readTask() {
        if (readTask == null) {
            readTask = support.readTask(options, columnar);
        }
        return readTask;
    }

    private synchronized PartitionPlanner.Plan plan() {
        if (plan == null) {
            if (planner == null) {
                planner = planner();
            }
            plan = planner.plan(files());
        }
        return plan;
    }

    private PartitionPlanner planner() {
        if (pushed.relation().format().name() == ReadOptions.FileFormat.PARQUET) {
            return new ParquetPartitionPlanner(support, options, support.needs(readTask()), pushed.limit());
        }
        LinePartitionPlanner.Limits limits = new LinePartitionPlanner.Limits(
                support.parallelism(),
                options.fixedPartitionBytes().orElse(support.maxPartitionBytes()),
                support.openCostBytes());
        return new LinePartitionPlanner(limits, support::isSplitable, support::readPartitionValues);
    }

    /** The files that partition filters and runtime filters leave over. */
    private List<ListedFile> files() {
        RuntimeFilters filters =
                new RuntimeFilters(runtimeFilters, pushed.relation().partitionSchema(), support::partitionOrdinal);
        List<ListedFile> result = new ArrayList<>();
        for (ListedFile file : support.files()) {
            if (filters.keep(file.partitionValues())) {
                result.add(file);
            }
        }
        return result;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return plan().partitions().toArray(new InputPartition[0]);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new AsyncReaderFactory(readTask(), support.layout(), columnar, pushed.limit());
    }

    @Override
    public NamedReference[] filterAttributes() {
        return java.util.Arrays.stream(pushed.partitionColumns().fieldNames())
                .map(Expressions::column)
                .toArray(NamedReference[]::new);
    }

    @Override
    public synchronized void filter(Predicate[] predicates) {
        runtimeFilters = List.of(predicates);
        plan = null;
    }

    @Override
    public Statistics estimateStatistics() {
        long bytes = 0;
        for (ListedFile file : files()) {
            bytes += file.file().length();
        }
        // The share of a row that is read, as Spark's own scan estimates it.
        StructType all = pushed.relation().dataSchema();
        double width = all.defaultSize() + pushed.relation().partitionSchema().defaultSize();
        double read =
                pushed.dataColumns().defaultSize() + pushed.partitionColumns().defaultSize();
        long size = (long) (support.compressionFactor() * bytes / Math.max(1, width) * read);
        OptionalLong rows = support.isCostBased() ? plan().rows() : OptionalLong.empty();
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return OptionalLong.of(size);
            }

            @Override
            public OptionalLong numRows() {
                return rows;
            }
        };
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return ScanMetrics.all();
    }

    @Override
    public synchronized CustomTaskMetric[] reportDriverMetrics() {
        return plan == null ? new CustomTaskMetric[0] : ScanMetrics.ofPlanning(plan);
    }

    @Override
    protected Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("Format", pushed.relation().format().toString());
        properties.put(
                "Location",
                support.indexName() + "[" + Locations.describe(pushed.relation().rootPaths()) + "]");
        properties.put("PartitionFilters", pushed.filters().describePartition());
        properties.put("DataFilters", pushed.filters().describeData());
        properties.put("PushedFilters", pushed.filters().describePushed());
        properties.put("ReadSchema", readSchema.catalogString());
        properties.put("ReadAheadDepth", depth());
        if (pushed.limit() >= 0) {
            properties.put("PushedLimit", Integer.toString(pushed.limit()));
        }
        return properties;
    }

    private String depth() {
        return switch (options.readAheadDepth()) {
            case -1 -> "-1 (governed by memory)";
            case 0 -> "0 (off)";
            default -> Integer.toString(options.readAheadDepth());
        };
    }

    @Override
    public String description() {
        int max = support.maxDescription();
        return "asyncscan "
                + properties().entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + abbreviate(entry.getValue(), max))
                        .collect(Collectors.joining(", "));
    }

    private static String abbreviate(String text, int max) {
        return text.length() <= max ? text : text.substring(0, Math.max(0, max - 3)) + "...";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AsyncScan scan
                && scan.pushed.relation().sameFiles(pushed.relation())
                && scan.readSchema.equals(readSchema)
                && scan.pushed.filters().equals(pushed.filters())
                && scan.pushed.limit() == pushed.limit()
                && scan.options.equals(options)
                && scan.runtimeFilters.equals(runtimeFilters);
    }

    @Override
    public int hashCode() {
        return Objects.hash(readSchema, pushed.filters(), pushed.limit(), options);
    }
}
