// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** The {@code _metadata} struct of a batch. Its children belong to others, so closing it closes nothing. */
final class MetadataVector extends ColumnVector {
    private final ColumnVector[] children;

    MetadataVector(StructType type, ColumnVector[] children) {
        super(type);
        this.children = children;
    }

    @Override
    public void close() {
        // The row index is the reader's, the rest holds no memory.
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        return children[ordinal];
    }

    @Override
    public boolean hasNull() {
        return false;
    }

    @Override
    public int numNulls() {
        return 0;
    }

    @Override
    public boolean isNullAt(int row) {
        return false;
    }

    @Override
    public boolean getBoolean(int row) {
        throw notStruct();
    }

    @Override
    public byte getByte(int row) {
        throw notStruct();
    }

    @Override
    public short getShort(int row) {
        throw notStruct();
    }

    @Override
    public int getInt(int row) {
        throw notStruct();
    }

    @Override
    public long getLong(int row) {
        throw notStruct();
    }

    @Override
    public float getFloat(int row) {
        throw notStruct();
    }

    @Override
    public double getDouble(int row) {
        throw notStruct();
    }

    @Override
    public ColumnarArray getArray(int row) {
        throw notStruct();
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw notStruct();
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw notStruct();
    }

    @Override
    public UTF8String getUTF8String(int row) {
        throw notStruct();
    }

    @Override
    public byte[] getBinary(int row) {
        throw notStruct();
    }

    private static UnsupportedOperationException notStruct() {
        return new UnsupportedOperationException("_metadata is a struct");
    }
}
