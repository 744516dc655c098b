// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.TpchTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.function.LongConsumer;

/**
 * Generates TPC-H's lineitem into Parquet files: snappy, row groups of a fixed number of rows. The same arguments give the
 * same rows.
 *
 * @param scale TPC-H scale factor: 1.0 is 6,001,215 rows
 * @param rowsPerGroup rows of a row group; 122,880 makes 49 row groups of SF1
 */
public record LineItems(double scale, int rowsPerGroup) {
    /** Rows of a row group that many engines write: 60 batches of 2,048. */
    public static final int DEFAULT_ROWS_PER_GROUP = 122_880;

    /** Rows per unit of scale, but for a deviation below 0.1 %: each of 1.5 million orders has 1 to 7 items. */
    private static final long ROWS_PER_SCALE = 6_001_215;

    /** Compressed bytes of a row, rounded up; SF1 has 212 MB. */
    private static final long BYTES_PER_ROW = 40;

    /** Checks the ranges. */
    public LineItems {
        if (!(scale > 0) || rowsPerGroup < 1) {
            throw new IllegalArgumentException(
                    "scale and rows per group must be positive: " + scale + ", " + rowsPerGroup);
        }
    }

    /** How many rows there will be, within 1 %. */
    public long expectedRows() {
        return Math.round(scale * (double) ROWS_PER_SCALE);
    }

    /** How many bytes all files together will have, rounded up generously. */
    public long expectedBytes() {
        return expectedRows() * BYTES_PER_ROW;
    }

    /**
     * Writes one file. It appears complete or not at all.
     *
     * @param progress told the number of rows written, now and then
     * @return the number of rows
     */
    public long writeFile(Path file, LongConsumer progress) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        return table().write(new LineItemGenerator(scale, 1, 1).iterator(), file, Long.MAX_VALUE, progress);
    }

    /**
     * Writes the same rows into several files {@code part-000.parquet}, …, each but the last with the same number of rows.
     *
     * @param directory where the files go; it is created if need be
     * @param rowsPerFile rows of one file
     * @param progress told the number of rows written, now and then
     * @return the number of files
     */
    public int writeFiles(Path directory, long rowsPerFile, LongConsumer progress) throws IOException {
        Files.createDirectories(directory);
        Iterator<LineItem> items = new LineItemGenerator(scale, 1, 1).iterator();
        int files = 0;
        for (long done = 0; items.hasNext(); files++) {
            Path file = directory.resolve(String.format(Locale.ROOT, "part-%03d.parquet", files));
            long before = done;
            done += table().write(items, file, rowsPerFile, rows -> progress.accept(before + rows));
        }
        return files;
    }

    private ParquetTable<LineItem> table() {
        return new ParquetTable<>(TpchTable.LINE_ITEM, rowsPerGroup);
    }
}
