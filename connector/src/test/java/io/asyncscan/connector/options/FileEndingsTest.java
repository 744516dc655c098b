// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.connector.options.ReadOptions.FileFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FileEndingsTest {
    private static void are(FileFormat format, Map<String, String> implied, String... files) {
        assertEquals(new FileEndings.Guess(format, implied), FileEndings.guess(List.of(files)));
        for (String file : files) {
            assertEquals(new FileEndings.Guess(format, implied), FileEndings.guess(List.of(file)), file);
        }
    }

    @Test
    void knowsEndings() {
        are(FileFormat.PARQUET, Map.of());
        are(
                FileFormat.PARQUET,
                Map.of(),
                "s3a://b/part-0.snappy.parquet",
                "s3a://b/X.PARQUET",
                "/data/a.parq",
                "/data/a.par",
                "/data/a.pq");
        are(FileFormat.CSV, Map.of(), "s3a://b/a.csv", "/d/b.CSV.gz", "c.csv.bz2", "d.csv.zst", "e.csv.lz4");
        are(FileFormat.CSV, Map.of("sep", "\t"), "a.tsv", "b.tsv.gz", "c.TSV.snappy");
        are(FileFormat.JSON, Map.of(), "a.json", "b.jsonl", "c.ndjson.deflate");
        are(FileFormat.TEXT, Map.of(), "a.txt", "b.text", "c.txt.gzip");
    }

    @Test
    void namesTheFirstOtherFileAndTheOption() {
        for (String file : List.of(
                "s3a://b/b.orc", "/data/parquet", "/data/a.parquet.gz", "/data.parquet/part-0", "/a.csv/part.gz", "")) {
            String message = assertThrows(
                            IllegalArgumentException.class,
                            () -> FileEndings.guess(List.of("a.parquet", file, "c.xml")))
                    .getMessage();
            assertTrue(message.contains(" " + file + " "), message);
            assertTrue(message.contains("fileFormat"), message);
        }
    }

    @Test
    void filesOfSeveralFormatsNeedTheOption() {
        for (List<String> files :
                List.of(List.of("a.parquet", "b.csv"), List.of("a.csv", "b.tsv"), List.of("a.txt.gz", "b.json"))) {
            String message = assertThrows(IllegalArgumentException.class, () -> FileEndings.guess(files))
                    .getMessage();
            assertTrue(message.contains(files.get(0)) && message.contains(files.get(1)), message);
            assertTrue(message.contains("fileFormat") && message.contains("parquet, csv, json, text"), message);
        }
    }
}
