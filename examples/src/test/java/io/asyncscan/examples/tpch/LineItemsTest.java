// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineItemsTest {
    /** What TPC-H's own generator makes of scale 0.01. */
    private static final long ROWS = 60_175;

    private static final LineItems SMALL = new LineItems(0.01, 25_000);

    @TempDir
    private Path directory;

    @Test
    void cutsRowGroupsByRows() throws IOException {
        Path file = directory.resolve("lineitem.parquet");
        List<Long> progress = new ArrayList<>();
        assertEquals(ROWS, SMALL.writeFile(file, progress::add));
        assertEquals(ROWS, progress.get(progress.size() - 1));

        ParquetMetadata footer = footer(file);
        assertEquals(List.of(25_000L, 25_000L, 10_175L), rowCounts(footer));
        assertEquals(
                CompressionCodecName.SNAPPY,
                footer.getBlocks().get(0).getColumns().get(0).getCodec());
        assertTrue(footer.getBlocks().get(0).getColumns().stream()
                .allMatch(chunk -> chunk.getOffsetIndexReference() != null));
    }

    @Test
    void writesTheTypesSparkWrites() throws IOException {
        Path file = directory.resolve("lineitem.parquet");
        new LineItems(0.001, LineItems.DEFAULT_ROWS_PER_GROUP).writeFile(file, rows -> {});
        assertEquals("""
                message lineitem {
                  optional int64 l_orderkey;
                  optional int64 l_partkey;
                  optional int64 l_suppkey;
                  optional int32 l_linenumber;
                  optional int64 l_quantity (DECIMAL(15,2));
                  optional int64 l_extendedprice (DECIMAL(15,2));
                  optional int64 l_discount (DECIMAL(15,2));
                  optional int64 l_tax (DECIMAL(15,2));
                  optional binary l_returnflag (STRING);
                  optional binary l_linestatus (STRING);
                  optional int32 l_shipdate (DATE);
                  optional int32 l_commitdate (DATE);
                  optional int32 l_receiptdate (DATE);
                  optional binary l_shipinstruct (STRING);
                  optional binary l_shipmode (STRING);
                  optional binary l_comment (STRING);
                }
                """, footer(file).getFileMetaData().getSchema().toString());
    }

    @Test
    void splitsIntoFilesAndLeavesNothingUnfinished() throws IOException {
        assertEquals(3, SMALL.writeFiles(directory, 25_000, rows -> {}));
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(
                    List.of("part-000.parquet", "part-001.parquet", "part-002.parquet"),
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
        assertEquals(List.of(10_175L), rowCounts(footer(directory.resolve("part-002.parquet"))));
    }

    private static List<Long> rowCounts(ParquetMetadata footer) {
        return footer.getBlocks().stream().map(BlockMetaData::getRowCount).toList();
    }

    private static ParquetMetadata footer(Path file) throws IOException {
        try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(file))) {
            return reader.getFooter();
        }
    }
}
