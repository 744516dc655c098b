// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** A column with the same string or long in every row. Holds no memory of its own to free. */
final class ConstantVector extends ColumnVector {
    private final Object value;

    ConstantVector(DataType type, Object value) {
        super(type);
        this.value = value;
    }

    @Override
    public void close() {
        // Nothing to free.
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
    public long getLong(int row) {
        return (Long) value;
    }

    @Override
    public UTF8String getUTF8String(int row) {
        return (UTF8String) value;
    }

    @Override
    public boolean getBoolean(int row) {
        throw other();
    }

    @Override
    public byte getByte(int row) {
        throw other();
    }

    @Override
    public short getShort(int row) {
        throw other();
    }

    @Override
    public int getInt(int row) {
        throw other();
    }

    @Override
    public float getFloat(int row) {
        throw other();
    }

    @Override
    public double getDouble(int row) {
        throw other();
    }

    @Override
    public ColumnarArray getArray(int row) {
        throw other();
    }

    @Override
    public ColumnarMap getMap(int row) {
        throw other();
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        throw other();
    }

    @Override
    public byte[] getBinary(int row) {
        throw other();
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        throw other();
    }

    private UnsupportedOperationException other() {
        return new UnsupportedOperationException(
                "a constant of type " + type.simpleString() + " was asked for another");
    }
}
