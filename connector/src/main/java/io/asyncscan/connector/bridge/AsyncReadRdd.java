// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.io.IOException;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.util.TaskCompletionListener;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;

/**
 * The rows or batches of a file scan of Spark's, unchanged, with each partition's files handed to one queue.
 *
 * <p>Internals: an {@link RDD}, because only an RDD sees the partition that its parent is about to compute.
 *
 * @param <T> rows or batches
 */
final class AsyncReadRdd<T> extends RDD<T> {
    private static final long serialVersionUID = 1L;

    private final NodeMetrics metrics;
    private final ClassTag<T> type;

    /** The rows of {@code scan}, whose partitions are those of a file scan. */
    AsyncReadRdd(RDD<T> scan, NodeMetrics metrics, ClassTag<T> type) {
        super(scan, type);
        this.metrics = metrics;
        this.type = type;
    }

    @Override
    public Partition[] getPartitions() {
        return firstParent(type).partitions();
    }

    @Override
    public Seq<String> getPreferredLocations(Partition split) {
        return firstParent(type).preferredLocations(split);
    }

    @Override
    public Iterator<T> compute(Partition split, TaskContext context) {
        RDD<T> parent = firstParent(type);
        if (!(split instanceof FilePartition files)) {
            return parent.iterator(split, context);
        }
        PartitionScan scan = new PartitionScan(files, context, metrics.ofTask());
        // Before the parent's own: listeners run in reverse, and Spark's reader is to end before its bytes go.
        TaskCompletionListener end = ended -> close(scan);
        context.addTaskCompletionListener(end);
        return new Rows<>(parent.iterator(scan.partition(), context), scan);
    }

    private static void close(PartitionScan scan) {
        try {
            scan.close();
        } catch (IOException e) {
            ReadErrors.<RuntimeException>sneak(e);
        }
    }

    /** The parent's rows. A task may go on for long after the last one: what the scan holds is returned at once. */
    private static final class Rows<T> extends AbstractIterator<T> {
        private final Iterator<T> rows;
        private final PartitionScan scan;

        Rows(Iterator<T> rows, PartitionScan scan) {
            this.rows = rows;
            this.scan = scan;
        }

        @Override
        public boolean hasNext() {
            boolean more = rows.hasNext();
            if (!more) {
                AsyncReadRdd.close(scan);
            }
            return more;
        }

        @Override
        public T next() {
            return rows.next();
        }
    }
}
