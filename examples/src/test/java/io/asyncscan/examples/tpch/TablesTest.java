// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.trino.tpch.TpchTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TablesTest {
    private static final Tables SMALL = new Tables(0.01, 25_000);

    @TempDir
    private Path directory;

    @Test
    void writesTheRowsOfTheSpecificationOnce() throws Exception {
        List<String> written = new ArrayList<>();
        SMALL.writeMissing(directory, written::add);
        assertEquals(Tables.names(), written);
        Map<String, Long> rows = new TreeMap<>();
        for (String table : Tables.names()) {
            Path file = directory.resolve(Tables.file(table));
            try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(file))) {
                rows.put(table, reader.getRecordCount());
            }
        }
        assertEquals(
                Map.of(
                        "lineitem",
                        60_175L,
                        "orders",
                        15_000L,
                        "customer",
                        1_500L,
                        "part",
                        2_000L,
                        "partsupp",
                        8_000L,
                        "supplier",
                        100L,
                        "nation",
                        25L),
                rows);

        written.clear();
        SMALL.writeMissing(directory, written::add);
        assertEquals(List.of(), written);
    }

    @Test
    void writesTheTypesSparkWrites() {
        assertEquals("""
                message partsupp {
                  optional int64 ps_partkey;
                  optional int64 ps_suppkey;
                  optional int32 ps_availqty;
                  optional int64 ps_supplycost (DECIMAL(15,2));
                  optional binary ps_comment (STRING);
                }
                """, TableWriteSupport.schema(TpchTable.PART_SUPPLIER).toString());
    }
}
