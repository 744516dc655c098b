// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Option;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The node above a file scan of Spark's that lets it read ahead across all files of a partition. What comes out is what
 * goes in: rows, batches, order, partitioning. Its metrics are asyncscan's; those of the scan below stay the scan's.
 *
 * <p>To whom compares plans, it is not there: its canonical form is the scan's.
 *
 * <p>Internals: extends {@link SparkPlan}, because a plan consists of nothing else. Not {@code UnaryExecNode}, whose
 * mixed-in methods Java cannot compile, nor a subclass of Spark's scan, for the same reason.
 */
public final class AsyncReadExec extends SparkPlan {
    private static final long serialVersionUID = 1L;

    private final SparkPlan scan;
    private final MetricSource metricSource;
    private transient NodeMetrics nodeMetrics;

    /** Public for Spark, which copies nodes by reflection, with the values of {@link #productElement}. */
    public AsyncReadExec(SparkPlan scan, MetricSource metricSource) {
        this.scan = scan;
        this.metricSource = metricSource;
    }

    /** The file scan. */
    public SparkPlan scan() {
        return scan;
    }

    private synchronized NodeMetrics nodeMetrics() {
        if (nodeMetrics == null) {
            nodeMetrics = new NodeMetrics(metricSource, sparkContext());
        }
        return nodeMetrics;
    }

    @Override
    public Map<String, SQLMetric> metrics() {
        return nodeMetrics().byName();
    }

    @Override
    public RDD<InternalRow> doExecute() {
        return readAhead(scan.execute(), InternalRow.class);
    }

    @Override
    public RDD<ColumnarBatch> doExecuteColumnar() {
        return readAhead(scan.executeColumnar(), ColumnarBatch.class);
    }

    private <T> RDD<T> readAhead(RDD<T> rows, Class<T> type) {
        ClassTag<T> tag = ClassTag$.MODULE$.apply(type);
        return new AsyncReadRdd<>(rows, nodeMetrics(), tag);
    }

    @Override
    public Seq<Attribute> output() {
        return scan.output();
    }

    @Override
    public boolean supportsColumnar() {
        return scan.supportsColumnar();
    }

    @Override
    public boolean supportsRowBased() {
        return scan.supportsRowBased();
    }

    @Override
    public Option<Seq<String>> vectorTypes() {
        return scan.vectorTypes();
    }

    @Override
    public Partitioning outputPartitioning() {
        return scan.outputPartitioning();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return scan.outputOrdering();
    }

    @Override
    public SparkPlan doCanonicalize() {
        return scan.canonicalized();
    }

    @Override
    public Seq<SparkPlan> children() {
        return CollectionConverters.asScala(List.of(scan)).toSeq();
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
        return new AsyncReadExec(children.head(), metricSource);
    }

    @Override
    public String productPrefix() {
        return "AsyncReadExec";
    }

    @Override
    public int productArity() {
        return 2;
    }

    @Override
    public Object productElement(int index) {
        return switch (index) {
            case 0 -> scan;
            case 1 -> metricSource;
            default -> throw new IndexOutOfBoundsException(index);
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof AsyncReadExec;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AsyncReadExec node && node.scan.equals(scan);
    }

    @Override
    public int hashCode() {
        return scan.hashCode();
    }

    @Override
    public String simpleString(int maxFields) {
        return "AsyncRead";
    }
}
