// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import io.trino.tpch.TpchTable;
import java.util.List;

/** A query over lineitem that returns one row. */
public enum Query {
    /** TPC-H query 6, with its validation parameters: reads four of sixteen columns and keeps 2 % of the rows. */
    Q6("""
            SELECT sum(l_extendedprice * l_discount) AS revenue
            FROM %s
            WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
              AND l_discount BETWEEN 0.05 AND 0.07
              AND l_quantity < 24
            """),

    /** A hash over all columns of all rows, which no order of rows changes. */
    SCAN("SELECT count(*), bit_xor(xxhash64(" + String.join(", ", Columns.ALL) + ")) FROM %s");

    private final String sql;

    Query(String sql) {
        this.sql = sql;
    }

    /** The columns it reads. */
    public List<String> columns() {
        return switch (this) {
            case Q6 -> List.of("l_quantity", "l_extendedprice", "l_discount", "l_shipdate");
            case SCAN -> Columns.ALL;
        };
    }

    /** Its text over a table or view of that name. */
    public String sql(String table) {
        return sql.formatted(table);
    }

    /** Apart from the constants, because those are made before any static field of the enum. */
    private static final class Columns {
        static final List<String> ALL = TableWriteSupport.schema(TpchTable.LINE_ITEM).getColumns().stream()
                .map(column -> column.getPath()[0])
                .toList();
    }
}
