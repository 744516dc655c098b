// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import io.trino.tpch.LineItem;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/**
 * Writes lineitem with the types Spark's own writer chooses: {@code decimal(15,2)} as scaled INT64, {@code date} as INT32
 * days. No column is nullable in TPC-H; all are written optional, as Spark and most writers do.
 */
final class LineItemWriteSupport extends WriteSupport<LineItem> {
    static final MessageType SCHEMA = Types.buildMessage()
            .addFields(
                    int64("l_orderkey"),
                    int64("l_partkey"),
                    int64("l_suppkey"),
                    Types.optional(PrimitiveTypeName.INT32).named("l_linenumber"),
                    decimal("l_quantity"),
                    decimal("l_extendedprice"),
                    decimal("l_discount"),
                    decimal("l_tax"),
                    string("l_returnflag"),
                    string("l_linestatus"),
                    date("l_shipdate"),
                    date("l_commitdate"),
                    date("l_receiptdate"),
                    string("l_shipinstruct"),
                    string("l_shipmode"),
                    string("l_comment"))
            .named("lineitem");

    private RecordConsumer out;
    private int column;

    @Override
    @SuppressWarnings("deprecation") // abstract above, but only its sibling below is called
    public WriteContext init(Configuration configuration) {
        return new WriteContext(SCHEMA, Map.of());
    }

    @Override
    public WriteContext init(ParquetConfiguration configuration) {
        return new WriteContext(SCHEMA, Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer recordConsumer) {
        out = recordConsumer;
    }

    @Override
    public void write(LineItem item) {
        column = 0;
        out.startMessage();
        addLong(item.getOrderKey());
        addLong(item.getPartKey());
        addLong(item.getSupplierKey());
        addInt(item.getLineNumber());
        addLong(item.getQuantity() * 100);
        addLong(item.getExtendedPriceInCents());
        addLong(item.getDiscountPercent());
        addLong(item.getTaxPercent());
        addString(item.getReturnFlag());
        addString(item.getStatus());
        addInt(item.getShipDate());
        addInt(item.getCommitDate());
        addInt(item.getReceiptDate());
        addString(item.getShipInstructions());
        addString(item.getShipMode());
        addString(item.getComment());
        out.endMessage();
    }

    private void addLong(long value) {
        start();
        out.addLong(value);
        end();
    }

    private void addInt(int value) {
        start();
        out.addInteger(value);
        end();
    }

    private void addString(String value) {
        start();
        out.addBinary(Binary.fromString(value));
        end();
    }

    private void start() {
        out.startField(SCHEMA.getFieldName(column), column);
    }

    private void end() {
        out.endField(SCHEMA.getFieldName(column), column);
        column++;
    }

    private static Type int64(String name) {
        return Types.optional(PrimitiveTypeName.INT64).named(name);
    }

    private static Type decimal(String name) {
        return Types.optional(PrimitiveTypeName.INT64)
                .as(LogicalTypeAnnotation.decimalType(2, 15))
                .named(name);
    }

    private static Type date(String name) {
        return Types.optional(PrimitiveTypeName.INT32)
                .as(LogicalTypeAnnotation.dateType())
                .named(name);
    }

    private static Type string(String name) {
        return Types.optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named(name);
    }
}
