// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.Disk;
import io.asyncscan.examples.tpch.CsvItems;
import io.asyncscan.examples.tpch.LineItems;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.LocalInputFile;

/**
 * Lineitem in a directory of the server, generated at the first run and kept for the next.
 *
 * @param root the server's root
 * @param bucket the directory in it
 */
record BenchData(Path root, String bucket) {
    /** One file of row groups of 122,880 rows: 49 at scale 1. */
    static final String FILE = "lineitem.parquet";

    /** The same rows in 64 files of two row groups. */
    static final String FILES = "lineitem-64";

    private static final int FILE_COUNT = 64;

    /** A quarter of the rows as one CSV file: 190 MB at scale 1. */
    static final String CSV = "lineitem.csv";

    /** The same in 400 files. */
    static final String CSV_FILES = "lineitem-csv-400";

    /** The same in 8 files packed by gzip. */
    static final String CSV_GZIP = "lineitem-csv-gz";

    private static final double CSV_SHARE = 0.25;

    static BenchData ensure(Path output, double scale, Set<String> keys, PrintStream out) throws IOException {
        BenchData data = new BenchData(output, bucket(scale));
        for (String key : keys) {
            Path target = data.local(key);
            if (Files.exists(target)) {
                continue;
            }
            if (isCsv(key)) {
                data.ensureCsv(new CsvItems(scale * CSV_SHARE), key, target, out);
            } else {
                data.ensureParquet(new LineItems(scale, LineItems.DEFAULT_ROWS_PER_GROUP), key, target, out);
            }
        }
        return data;
    }

    /** A name without dots: in a URI, one that ends in a dot and a digit is no host, and Hadoop finds no bucket in it. */
    static String bucket(double scale) {
        return "sf"
                + BigDecimal.valueOf(scale).stripTrailingZeros().toPlainString().replace('.', '-');
    }

    /** Whether the file or directory of that name is CSV. */
    static boolean isCsv(String key) {
        return key.startsWith(CSV) || key.contains("-csv-");
    }

    private void ensureParquet(LineItems items, String key, Path target, PrintStream out) throws IOException {
        Disk.requireRoom(root, items.expectedBytes(), "--output");
        out.printf(Locale.ROOT, "data: generating %s, about %,d rows%n", target, items.expectedRows());
        if (key.equals(FILE)) {
            items.writeFile(target, rows -> {});
        } else {
            writeFiles(items, target);
        }
    }

    private void ensureCsv(CsvItems items, String key, Path target, PrintStream out) throws IOException {
        Disk.requireRoom(root, items.expectedBytes(), "--output");
        out.printf(Locale.ROOT, "data: generating %s, about %,d MB%n", target, items.expectedBytes() / 1_000_000);
        switch (key) {
            case CSV -> items.writeFile(target);
            case CSV_FILES -> items.writeFiles(target, 400, ".csv");
            default -> items.writeFiles(target, 8, ".csv.gz");
        }
    }

    /** The directory gets its name when all its files are there. */
    private void writeFiles(LineItems items, Path target) throws IOException {
        long rowsPerFile = items.expectedRows() / FILE_COUNT + 1;
        Path unfinished = target.resolveSibling("." + target.getFileName() + ".unfinished");
        new LineItems(items.scale(), (int) (rowsPerFile / 2 + 1)).writeFiles(unfinished, rowsPerFile, rows -> {});
        Files.move(unfinished, target);
    }

    Path local(String key) {
        return root.resolve(bucket).resolve(key);
    }

    String remote(String key) {
        return "s3a://" + bucket + "/" + key;
    }

    /** Bytes of the chunks of these columns, as the footers tell them; all of a CSV file. */
    long neededBytes(String key, List<String> columns) throws IOException {
        Path path = local(key);
        long needed = 0;
        try (Stream<Path> files = Files.isDirectory(path) ? Files.list(path) : Stream.of(path)) {
            for (Path file : files.toList()) {
                needed += isCsv(key) ? Files.size(file) : chunkBytes(file, columns);
            }
        }
        return needed;
    }

    private static long chunkBytes(Path file, List<String> columns) throws IOException {
        long bytes = 0;
        try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(file))) {
            for (BlockMetaData group : reader.getRowGroups()) {
                for (ColumnChunkMetaData chunk : group.getColumns()) {
                    if (columns.contains(chunk.getPath().toDotString())) {
                        bytes += chunk.getTotalSize();
                    }
                }
            }
        }
        return bytes;
    }
}
