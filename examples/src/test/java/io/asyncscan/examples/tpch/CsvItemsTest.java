// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvItemsTest {
    private final CsvItems items = new CsvItems(0.001);

    @TempDir
    Path directory;

    @Test
    void everyLineHasSixteenValues() throws IOException {
        Path file = directory.resolve("lineitem.csv");
        items.writeFile(file);
        List<String> lines = Files.readAllLines(file);
        assertEquals(6_005, lines.size());
        for (String line : lines) {
            String[] values = line.split(",", 16);
            assertEquals(16, values.length, line);
            assertEquals(values[15].indexOf(',') >= 0, values[15].startsWith("\""), line);
        }
        assertTrue(lines.get(0).startsWith("1,"), lines.get(0));
        assertTrue(Files.size(file) <= items.expectedBytes(), "size " + Files.size(file));
    }

    @Test
    void severalFilesHaveTheSameLines() throws IOException {
        Path file = directory.resolve("lineitem.csv");
        items.writeFile(file);
        items.writeFiles(directory.resolve("plain"), 7, ".csv");
        items.writeFiles(directory.resolve("packed"), 3, ".csv.gz");
        String whole = Files.readString(file);
        assertEquals(whole, joined(directory.resolve("plain"), 7));
        assertEquals(whole, joined(directory.resolve("packed"), 3));
    }

    private static String joined(Path files, int count) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (Stream<Path> list = Files.list(files)) {
            List<Path> sorted = list.sorted().toList();
            assertEquals(count, sorted.size());
            for (Path file : sorted) {
                try (InputStream raw = Files.newInputStream(file);
                        InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
                    in.transferTo(all);
                }
            }
        }
        return all.toString(StandardCharsets.UTF_8);
    }
}
