// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

/** A query over {@link Tables}, each a table or view of its name, whose rows come in a defined order. */
public enum TableQuery {
    /** TPC-H query 1: one pass over nearly all items, an aggregation into four groups. */
    Q1("""
            SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
              sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
              avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
            FROM lineitem
            WHERE l_shipdate <= DATE '1998-09-02'
            GROUP BY l_returnflag, l_linestatus
            ORDER BY l_returnflag, l_linestatus
            """),

    /** TPC-H query 6: one pass that keeps 2 % of the items. */
    Q6(Query.Q6.sql("lineitem")),

    /** TPC-H query 9: joins of six tables, all items among them. */
    Q9("""
            SELECT nation, o_year, sum(amount) AS profit
            FROM (
              SELECT n_name AS nation, year(o_orderdate) AS o_year,
                l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
              FROM part, supplier, lineitem, partsupp, orders, nation
              WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey
                AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey
                AND p_name LIKE '%green%')
            GROUP BY nation, o_year
            ORDER BY nation, o_year DESC
            """),

    /** TPC-H query 18 with 100 rows: an aggregation with a group for each order, and joins. Orders by key as well. */
    Q18("""
            SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity)
            FROM customer, orders, lineitem
            WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300)
              AND c_custkey = o_custkey AND o_orderkey = l_orderkey
            GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
            ORDER BY o_totalprice DESC, o_orderdate, o_orderkey
            LIMIT 100
            """),

    /** A hash over all columns of all items, which no order of rows changes. */
    SCAN(Query.SCAN.sql("lineitem"));

    private final String sql;

    TableQuery(String sql) {
        this.sql = sql;
    }

    /** Its text. */
    public String sql() {
        return sql;
    }
}
