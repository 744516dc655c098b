// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Makes the readers of the tasks of a {@link SwappedFileScan}. Immutable; travels to the executors.
 *
 * <p>Internals: {@link FilePartition}, the partition that Spark's file scans plan.
 *
 * @param columnar whether readers return batches
 */
record SwappedReaderFactory(ReadTask task, boolean columnar, MetricSource metrics) implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean supportColumnarReads(InputPartition partition) {
        return columnar;
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        return open(partition);
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
        return open(partition);
    }

    private <T> PartitionReader<T> open(InputPartition partition) {
        List<ReadUnit> units = new ArrayList<>();
        for (PartitionedFile file : ((FilePartition) partition).files()) {
            units.add(new ReadUnit(PartitionScan.unit(file), file.urlEncodedPath(), file.partitionValues()));
        }
        return new Reader<>(new ScanReader(task, units), metrics);
    }

    /** The reader of one task: what Spark's decoder returns, as it is. */
    private static final class Reader<T> implements PartitionReader<T> {
        private final ScanReader reader;
        private final MetricSource metrics;

        /** What the task counted in partitions before this one. */
        private CustomTaskMetric[] before = new CustomTaskMetric[0];

        Reader(ScanReader reader, MetricSource metrics) {
            this.reader = reader;
            this.metrics = metrics;
        }

        @Override
        public boolean next() throws IOException {
            return reader.next();
        }

        @Override
        @SuppressWarnings("unchecked") // rows or batches, whichever the factory was asked for
        public T get() {
            return (T) reader.get();
        }

        @Override
        public void initMetricsValues(CustomTaskMetric[] earlier) {
            before = earlier;
        }

        @Override
        public CustomTaskMetric[] currentMetricsValues() {
            return metrics.together(before, metrics.ofTask(reader.counters()));
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
