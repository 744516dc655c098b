// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.OutputLayout;
import io.asyncscan.connector.bridge.ReadTask;
import io.asyncscan.connector.bridge.ScanReader;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Makes the readers of a scan's tasks. Immutable; travels to the executors once per stage.
 *
 * @param columnar whether readers return batches
 * @param limit rows that are wanted at most, or -1
 */
record AsyncReaderFactory(ReadTask task, OutputLayout layout, boolean columnar, int limit)
        implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean supportColumnarReads(InputPartition partition) {
        return columnar;
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        ScanReader reader = open(partition);
        return new AsyncPartitionReader<>(
                reader,
                limit,
                row -> 1,
                row -> layout.row((InternalRow) row, reader.file(), reader.blockStart(), reader.blockLength()));
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
        ScanReader reader = open(partition);
        return new AsyncPartitionReader<>(
                reader,
                limit,
                ColumnarBatch::numRows,
                batch -> layout.batch((ColumnarBatch) batch, reader.file(), reader.blockStart(), reader.blockLength()));
    }

    private ScanReader open(InputPartition partition) {
        return new ScanReader(task, ((AsyncInputPartition) partition).units());
    }
}
