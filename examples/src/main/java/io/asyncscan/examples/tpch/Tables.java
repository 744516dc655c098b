// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Generates the tables of TPC-H that {@link TableQuery}'s queries read, one Parquet file each. The same arguments give the
 * same rows.
 *
 * @param scale TPC-H scale factor: 1.0 is 6 million items of 1.5 million orders
 * @param rowsPerGroup rows of a row group
 */
public record Tables(double scale, int rowsPerGroup) {
    private static final List<TpchTable<?>> TABLES = List.of(
            TpchTable.LINE_ITEM,
            TpchTable.ORDERS,
            TpchTable.CUSTOMER,
            TpchTable.PART,
            TpchTable.PART_SUPPLIER,
            TpchTable.SUPPLIER,
            TpchTable.NATION);

    /** Compressed bytes of all tables, rounded up: scale 1 has 320 MB. */
    private static final long BYTES_PER_SCALE = 400_000_000;

    /** Names of the tables; their files end in {@code .parquet}. */
    public static List<String> names() {
        return TABLES.stream().map(TpchTable::getTableName).toList();
    }

    /** The file of a table. */
    public static String file(String table) {
        return table + ".parquet";
    }

    /** How many bytes all files together will have, rounded up. */
    public long expectedBytes() {
        return Math.round(scale * (double) BYTES_PER_SCALE);
    }

    /**
     * Writes the tables that are not there yet. Each file appears complete or not at all.
     *
     * @param directory where the files go; it is created if need be
     * @param progress told each table's name before it is written
     */
    public void writeMissing(Path directory, Consumer<String> progress) throws IOException {
        Files.createDirectories(directory);
        for (TpchTable<?> table : TABLES) {
            Path file = directory.resolve(file(table.getTableName()));
            if (!Files.exists(file)) {
                progress.accept(table.getTableName());
                write(table, file);
            }
        }
    }

    private <E extends TpchEntity> void write(TpchTable<E> table, Path file) throws IOException {
        new ParquetTable<>(table, rowsPerGroup)
                .write(table.createGenerator(scale, 1, 1).iterator(), file, Long.MAX_VALUE, rows -> {});
    }
}
