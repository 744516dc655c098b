// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.demo;

import io.asyncscan.examples.cli.Disk;
import io.asyncscan.examples.s3.EmbeddedS3;
import io.asyncscan.examples.tpch.LineItems;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Lineitem in the embedded store, generated at the first run and kept for the next. */
final class DemoData {
    static final String BUCKET = "tpch";

    private DemoData() {}

    /**
     * Makes sure that the file is there.
     *
     * @param scratch directory for the file while it is written
     * @return its {@code s3a:} path
     */
    static String ensure(EmbeddedS3 s3, double scale, Path scratch, PrintStream out) throws IOException {
        String key =
                "lineitem-sf" + BigDecimal.valueOf(scale).stripTrailingZeros().toPlainString() + ".parquet";
        String path = "s3a://" + BUCKET + "/" + key;
        s3.createBucket(BUCKET);
        Optional<Long> length = s3.length(BUCKET, key);
        if (length.isPresent()) {
            out.printf(Locale.ROOT, "data: %s is there, %,d MB%n", path, length.get() / 1_000_000);
            return path;
        }
        LineItems items = new LineItems(scale, LineItems.DEFAULT_ROWS_PER_GROUP);
        // Twice: the store takes a copy.
        Disk.requireRoom(scratch, 2 * items.expectedBytes(), "--output");
        out.printf(
                Locale.ROOT,
                "data: generating TPC-H lineitem, scale %s, about %,d rows%n",
                scale,
                items.expectedRows());
        long step = Math.max(items.expectedRows() / 10, 1);
        long[] reported = {0};
        Path file = scratch.resolve(key);
        long start = System.nanoTime();
        try {
            long rows = items.writeFile(file, done -> {
                if (done / step > reported[0]) {
                    reported[0] = done / step;
                    out.printf(Locale.ROOT, "  %,11d rows%n", done);
                }
            });
            s3.put(BUCKET, key, file);
            out.printf(
                    Locale.ROOT,
                    "  %s: %,d rows, %,d MB, %.0f s%n",
                    path,
                    rows,
                    Files.size(file) / 1_000_000,
                    (double) (System.nanoTime() - start) / 1e9);
        } finally {
            Files.deleteIfExists(file);
        }
        return path;
    }
}
