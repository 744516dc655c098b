// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.execution.datasources.v2.FileScanBuilder;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Collects what Spark pushes down. Lives on the driver.
 *
 * <p>Internals: extends {@link FileScanBuilder}, because Spark 4.0 hands Catalyst filters, which partition filters need,
 * to that class only (4.1 and later to a trait); it also tells partition filters from data filters.
 */
public abstract class AbstractAsyncScanBuilder extends FileScanBuilder implements SupportsPushDownLimit {
    /** The column of a file's metadata, as Spark's own file sources name it. */
    public static final String METADATA = "_metadata";

    private final FileRelation relation;
    private int limit = -1;

    /** A builder for a scan of {@code relation}. */
    protected AbstractAsyncScanBuilder(FileRelation relation) {
        super(relation.session(), relation.index(), relation.dataSchema());
        this.relation = relation;
    }

    /** Makes the scan. */
    protected abstract Scan build(PushedDown pushed);

    /**
     * What was pushed down.
     *
     * @param relation the files
     * @param dataColumns data columns to read, nested ones pruned
     * @param partitionColumns partition columns to append
     * @param metadata the column of the file's metadata, with the fields to append, or null. Spark may have renamed it
     * @param filters of partitions and data
     * @param limit rows that are wanted at most, or -1
     */
    public record PushedDown(
            FileRelation relation,
            StructType dataColumns,
            StructType partitionColumns,
            StructField metadata,
            PushedFilters filters,
            int limit) {}

    @Override
    public final Scan build() {
        List<StructField> data = new ArrayList<>();
        StructField metadata = null;
        List<String> dataColumns = List.of(relation.dataSchema().fieldNames());
        for (StructField field : readDataSchema().fields()) {
            if (!dataColumns.contains(field.name())) {
                // Not a column of the table: the metadata column, under the name Spark gave it.
                metadata = field;
            } else {
                data.add(
                        relation.format().prunesNested()
                                ? field
                                : relation.dataSchema().apply(field.name()));
            }
        }
        PushedFilters filters =
                new PushedFilters(partitionFilters(), dataFilters(), pushedDataFilters(), relation.schema());
        return build(new PushedDown(
                relation,
                new StructType(data.toArray(new StructField[0])),
                readPartitionSchema(),
                metadata,
                filters,
                limit));
    }

    @Override
    public boolean supportsNestedSchemaPruning() {
        // Also for the metadata column, of which Spark's builder would keep nothing without.
        return true;
    }

    @Override
    public Filter[] pushDataFilters(Filter[] filters) {
        SQLConf conf = ((org.apache.spark.sql.classic.SparkSession) relation.session())
                .sessionState()
                .conf();
        if (!relation.format().pushesFilters(conf)) {
            return new Filter[0];
        }
        // A file may have a column of the same name as a directory: the file's values must not rule anything out.
        Set<String> ours =
                conf.caseSensitiveAnalysis() ? new TreeSet<>() : new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        ours.addAll(List.of(relation.dataSchema().fieldNames()));
        List.of(relation.partitionSchema().fieldNames()).forEach(ours::remove);
        List<Filter> pushed = new ArrayList<>();
        for (Filter filter : filters) {
            boolean pushable = true;
            for (String reference : filter.references()) {
                pushable &= ours.contains(topLevel(reference));
            }
            if (pushable) {
                pushed.add(filter);
            }
        }
        return pushed.toArray(new Filter[0]);
    }

    /** The first part of a column path as filters write it: quoted with backticks where it has a dot. */
    private static String topLevel(String reference) {
        if (reference.startsWith("`")) {
            int end = reference.indexOf('`', 1);
            return end < 0 ? reference : reference.substring(1, end);
        }
        int dot = reference.indexOf('.');
        return dot < 0 ? reference : reference.substring(0, dot);
    }

    @Override
    public boolean pushLimit(int rows) {
        limit = rows;
        return true;
    }

    @Override
    public boolean isPartiallyPushed() {
        return true;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "asyncscan scan of %s", relation.rootPaths());
    }
}
