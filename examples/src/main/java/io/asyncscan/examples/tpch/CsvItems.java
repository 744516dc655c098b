// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import io.trino.tpch.LineItem;
import io.trino.tpch.LineItemGenerator;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * Generates TPC-H's lineitem into CSV files without header: commas, quotes around comments that have one. The same
 * arguments give the same rows as {@link LineItems}.
 *
 * @param scale TPC-H scale factor: 0.25 is 1.5 million rows and 190 MB
 */
public record CsvItems(double scale) {
    /** The columns with their types, as SQL writes them. */
    public static final String SCHEMA =
            "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int, l_quantity decimal(15,2), "
                    + "l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), "
                    + "l_returnflag string, l_linestatus string, l_shipdate date, l_commitdate date, "
                    + "l_receiptdate date, l_shipinstruct string, l_shipmode string, l_comment string";

    /** Bytes of a row, rounded up. */
    private static final long BYTES_PER_ROW = 135;

    /** How many bytes all files together will have, rounded up; compressed ones have a third. */
    public long expectedBytes() {
        return new LineItems(scale, 1).expectedRows() * BYTES_PER_ROW;
    }

    /** Writes one file. It appears complete or not at all. */
    public void writeFile(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        // The dot hides an unfinished file from Spark's listing.
        Path unfinished = file.resolveSibling("." + file.getFileName() + ".unfinished");
        write(new LineItemGenerator(scale, 1, 1).iterator(), unfinished, Long.MAX_VALUE);
        Files.move(unfinished, file);
    }

    /**
     * Writes the same rows into several files {@code part-000}, …, each but the last with the same number of rows.
     *
     * @param directory where the files go; it appears when all are there
     * @param count number of files
     * @param ending of their names; {@code .csv.gz} compresses them
     */
    public void writeFiles(Path directory, int count, String ending) throws IOException {
        Path unfinished = directory.resolveSibling("." + directory.getFileName() + ".unfinished");
        Files.createDirectories(unfinished);
        long rows = new LineItems(scale, 1).expectedRows() / count + 1;
        Iterator<LineItem> items = new LineItemGenerator(scale, 1, 1).iterator();
        for (int i = 0; i < count; i++) {
            // How many rows there are is known within a per cent only: the last file takes what is left.
            long limit = i < count - 1 ? rows : Long.MAX_VALUE;
            write(items, unfinished.resolve(String.format(Locale.ROOT, "part-%03d%s", i, ending)), limit);
        }
        Files.move(unfinished, directory);
    }

    private static void write(Iterator<LineItem> items, Path file, long limit) throws IOException {
        OutputStream target = Files.newOutputStream(file);
        try (OutputStream out = new BufferedOutputStream(
                file.toString().endsWith(".gz") ? new GZIPOutputStream(target, 1 << 16) : target, 1 << 16)) {
            for (long i = 0; i < limit && items.hasNext(); i++) {
                out.write(line(items.next()).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /** The generator separates by bars and ends with one; of all columns only the comment may have commas. */
    private static String line(LineItem item) {
        String line = item.toLine();
        int end = line.endsWith("|") ? line.length() - 1 : line.length();
        int last = line.lastIndexOf('|', end - 1) + 1;
        String comment = line.substring(last, end);
        String quote = comment.indexOf(',') < 0 ? "" : "\"";
        return line.substring(0, last).replace('|', ',') + quote + comment + quote + "\n";
    }
}
