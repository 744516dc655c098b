// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.examples.s3.EmbeddedS3;
import io.asyncscan.examples.tpch.LineItems;
import io.asyncscan.examples.tpch.Query;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reader, a query and the server together: what the demo does, but small. */
class RunnerTest {
    @TempDir
    private Path directory;

    @Test
    void measuresAQueryOverS3() throws Exception {
        Path file = directory.resolve("lineitem.parquet");
        new LineItems(0.01, 20_000).writeFile(file, rows -> {});
        try (EmbeddedS3 s3 = EmbeddedS3.startInMemory()) {
            s3.createBucket("bucket");
            s3.put("bucket", "lineitem.parquet", file);
            Map<String, String> conf = new HashMap<>(s3.sparkConf());
            conf.put("spark.local.dir", directory.toString());
            try (Runner runner = new Runner(2, conf)) {
                String path = "s3a://bucket/lineitem.parquet";
                Run pushed = runner.run(Reader.SPARK, Query.Q6, path, s3.traffic());
                // What TPC-H's answer file has for Q6 at this scale.
                assertEquals("1193053.2253", pushed.answer());
                assertTrue(pushed.seconds() > 0 && pushed.cpuSeconds() > 0, pushed.toString());
                assertTrue(pushed.traffic().gets() > 4 && pushed.traffic().bytes() > 100_000, pushed.toString());
                assertTrue(pushed.stallSeconds().isEmpty());

                Run plain = runner.run(Reader.SPARK_WITHOUT_PUSHDOWN, Query.Q6, path, s3.traffic());
                assertEquals(pushed.answer(), plain.answer());
                assertTrue(plain.traffic().gets() < pushed.traffic().gets());

                Run unchanged = runner.run(Reader.EXTENSION, Query.Q6, path, s3.traffic());
                assertEquals(pushed.answer(), unchanged.answer());
                assertTrue(unchanged.stallSeconds().isPresent());
                assertTrue(unchanged.traffic().gets() < pushed.traffic().gets());

                Run scan = runner.run(Reader.SPARK, Query.SCAN, path, s3.traffic());
                assertTrue(scan.answer().startsWith("60175,"), scan.answer());
                assertEquals(
                        scan.answer(),
                        runner.run(Reader.SPARK, Query.SCAN, file.toUri().toString(), s3.traffic())
                                .answer());
            }
        }
    }
}
