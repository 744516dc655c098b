// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.util.List;
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
 * Writes a table of TPC-H with the types Spark's own writer chooses: {@code decimal(15,2)} as scaled INT64, {@code date} as
 * INT32 days. No column is nullable in TPC-H; all are written optional, as Spark and most writers do.
 */
final class TableWriteSupport<E extends TpchEntity> extends WriteSupport<E> {
    private final List<TpchColumn<E>> columns;
    private final MessageType schema;

    private RecordConsumer out;

    TableWriteSupport(TpchTable<E> table) {
        columns = table.getColumns();
        schema = schema(table);
    }

    /** What the table's files have. */
    static <E extends TpchEntity> MessageType schema(TpchTable<E> table) {
        Type[] fields =
                table.getColumns().stream().map(TableWriteSupport::field).toArray(Type[]::new);
        return Types.buildMessage().addFields(fields).named(table.getTableName());
    }

    private static Type field(TpchColumn<?> column) {
        String name = column.getColumnName();
        return switch (column.getType().getBase()) {
            case IDENTIFIER -> Types.optional(PrimitiveTypeName.INT64).named(name);
            case INTEGER -> Types.optional(PrimitiveTypeName.INT32).named(name);
            case DOUBLE ->
                Types.optional(PrimitiveTypeName.INT64)
                        .as(LogicalTypeAnnotation.decimalType(2, 15))
                        .named(name);
            case DATE ->
                Types.optional(PrimitiveTypeName.INT32)
                        .as(LogicalTypeAnnotation.dateType())
                        .named(name);
            case VARCHAR ->
                Types.optional(PrimitiveTypeName.BINARY)
                        .as(LogicalTypeAnnotation.stringType())
                        .named(name);
        };
    }

    @Override
    @SuppressWarnings("deprecation") // abstract above, but only its sibling below is called
    public WriteContext init(Configuration configuration) {
        return new WriteContext(schema, Map.of());
    }

    @Override
    public WriteContext init(ParquetConfiguration configuration) {
        return new WriteContext(schema, Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer recordConsumer) {
        out = recordConsumer;
    }

    @Override
    public void write(E row) {
        out.startMessage();
        for (int i = 0; i < columns.size(); i++) {
            TpchColumn<E> column = columns.get(i);
            out.startField(column.getColumnName(), i);
            switch (column.getType().getBase()) {
                case IDENTIFIER -> out.addLong(column.getIdentifier(row));
                case INTEGER -> out.addInteger(column.getInteger(row));
                // The generator counts in hundredths, and gives them as a fraction that is next to one.
                case DOUBLE -> out.addLong(Math.round(column.getDouble(row) * 100));
                case DATE -> out.addInteger(column.getDate(row));
                case VARCHAR -> out.addBinary(Binary.fromString(column.getString(row)));
            }
            out.endField(column.getColumnName(), i);
        }
        out.endMessage();
    }
}
