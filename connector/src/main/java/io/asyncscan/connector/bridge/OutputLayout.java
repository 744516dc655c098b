// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.storage.FileRef;
import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * How the output of Spark's reader becomes the output of the scan. The reader returns data columns, the row index if it
 * is wanted, partition columns; the scan returns data columns, partition columns, {@code _metadata} if it is wanted.
 *
 * <p>Immutable and serializable.
 */
public final class OutputLayout implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int dataColumns;
    private final int partitionColumns;
    private final boolean rowIndex;
    private final StructType metadata;
    private final DataType[] decodedTypes;

    OutputLayout(StructType data, StructType partition, StructType metadata, boolean rowIndex) {
        this.dataColumns = data.length();
        this.partitionColumns = partition.length();
        this.metadata = metadata;
        this.rowIndex = rowIndex;
        this.decodedTypes = new DataType[dataColumns + (rowIndex ? 1 : 0) + partitionColumns];
        int i = 0;
        for (StructField field : data.fields()) {
            decodedTypes[i++] = field.dataType();
        }
        if (rowIndex) {
            decodedTypes[i++] = DataTypes.LongType;
        }
        for (StructField field : partition.fields()) {
            decodedTypes[i++] = field.dataType();
        }
    }

    /** The scan's batch for a batch of the reader; shares the reader's vectors, which stay the reader's. */
    public ColumnarBatch batch(ColumnarBatch decoded, FileRef file, long start, long length) {
        if (metadata == null) {
            return decoded;
        }
        ColumnVector[] columns = new ColumnVector[dataColumns + partitionColumns + 1];
        for (int i = 0; i < dataColumns; i++) {
            columns[i] = decoded.column(i);
        }
        for (int i = 0; i < partitionColumns; i++) {
            columns[dataColumns + i] = decoded.column(decodedPartition(i));
        }
        ColumnVector[] children = new ColumnVector[metadata.length()];
        for (int i = 0; i < children.length; i++) {
            StructField field = metadata.fields()[i];
            children[i] = field.name().equals(MetadataFields.ROW_INDEX)
                    ? decoded.column(dataColumns)
                    : new ConstantVector(field.dataType(), MetadataFields.constant(field.name(), file, start, length));
        }
        columns[columns.length - 1] = new MetadataVector(metadata, children);
        return new ColumnarBatch(columns, decoded.numRows());
    }

    /** The scan's row for a row of the reader. */
    public InternalRow row(InternalRow decoded, FileRef file, long start, long length) {
        if (metadata == null) {
            return decoded;
        }
        Object[] values = new Object[dataColumns + partitionColumns + 1];
        for (int i = 0; i < dataColumns; i++) {
            values[i] = value(decoded, i);
        }
        for (int i = 0; i < partitionColumns; i++) {
            values[dataColumns + i] = value(decoded, decodedPartition(i));
        }
        Object[] fields = new Object[metadata.length()];
        for (int i = 0; i < fields.length; i++) {
            String name = metadata.fields()[i].name();
            fields[i] = name.equals(MetadataFields.ROW_INDEX)
                    ? (Object) decoded.getLong(dataColumns)
                    : MetadataFields.constant(name, file, start, length);
        }
        values[values.length - 1] = new GenericInternalRow(fields);
        return new GenericInternalRow(values);
    }

    private int decodedPartition(int i) {
        return dataColumns + (rowIndex ? 1 : 0) + i;
    }

    private Object value(InternalRow row, int ordinal) {
        return row.isNullAt(ordinal) ? null : row.get(ordinal, decodedTypes[ordinal]);
    }
}
