// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class FileEndingsTest {
    @Test
    void takesWhatEndsLikeParquet() {
        FileEndings.requireParquet(List.of());
        FileEndings.requireParquet(List.of(
                "s3a://b/part-0.snappy.parquet", "s3a://b/X.PARQUET", "/data/a.parq", "/data/a.par", "/data/a.pq"));
    }

    @Test
    void namesTheFirstOtherFileAndTheOption() {
        for (String file :
                List.of("s3a://b/b.csv", "/data/parquet", "/data/a.parquet.gz", "/data.parquet/part-0", "")) {
            String message = assertThrows(
                            IllegalArgumentException.class,
                            () -> FileEndings.requireParquet(List.of("a.parquet", file, "c.orc")))
                    .getMessage();
            assertTrue(message.contains(" " + file + " "), message);
            assertTrue(message.contains("fileFormat"), message);
        }
    }
}
