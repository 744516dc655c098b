// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.examples.tpch.TableQuery;
import io.asyncscan.examples.tpch.Tables;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A child JVM of each reader: what the bench does, but small. */
@Timeout(300)
class CellJvmTest {
    @TempDir
    private Path directory;

    private final Map<String, String> paths = new HashMap<>();

    @Test
    void childrenAgreeAndReadAheadIsAccounted() throws Exception {
        writeTables();
        CellFigures spark = run(MemoryReader.SPARK).orElseThrow();
        assertEquals(1, spark.seconds().size());
        assertEquals(0, spark.failures());
        assertEquals(2, spark.answers().size());
        assertTrue(spark.answers().get("Q6").startsWith("1:"), spark.toString());
        assertTrue(spark.work().cpuSeconds() > 0, spark.toString());
        assertEquals(0, spark.memory().readAheadPeak());

        for (MemoryReader reader : List.of(MemoryReader.ASYNCSCAN)) {
            CellFigures figures = run(reader).orElseThrow();
            assertEquals(spark.answers(), figures.answers());
            assertEquals(0, figures.failures());
            assertTrue(figures.memory().readAheadPeak() > 0, figures.toString());
            assertTrue(figures.memory().readAheadPeak() <= figures.memory().readAheadBudget(), figures.toString());
        }
    }

    @Test
    void underASteadyLoadEachQueryRunsOftenEnough() throws Exception {
        writeTables();
        CellFigures figures = run(MemoryReader.ASYNCSCAN, 1024, Load.STEADY, 3).orElseThrow();
        assertEquals(3, figures.seconds().size());
        assertTrue(figures.ended() >= 6, figures.toString());
        // What is cancelled at the end is no failure.
        assertEquals(0, figures.failures());
        assertEquals(Set.of("Q6", "Q18"), figures.answers().keySet());
        assertTrue(figures.answers().get("Q6").matches("1:[0-9a-f]{12}"), "one answer: " + figures);
    }

    @Test
    void aChildThatRunsOutOfMemoryIsNoResult() throws Exception {
        assertEquals(Optional.empty(), run(MemoryReader.SPARK, 16));
    }

    @Test
    void aChildThatFailsOtherwiseIsAnError() {
        // Spark refuses such a heap.
        IOException e = assertThrows(IOException.class, () -> run(MemoryReader.SPARK, 200));
        assertTrue(e.getMessage().contains("code 1, see "), e.getMessage());
    }

    private void writeTables() throws IOException {
        new Tables(0.01, 10_000).writeMissing(directory, table -> {});
        for (String table : Tables.names()) {
            paths.put(table, directory.resolve(Tables.file(table)).toUri().toString());
        }
    }

    private Optional<CellFigures> run(MemoryReader reader) throws Exception {
        return run(reader, 1024);
    }

    private Optional<CellFigures> run(MemoryReader reader, int heapMb) throws Exception {
        return run(reader, heapMb, Load.ROUNDS, 1);
    }

    private Optional<CellFigures> run(MemoryReader reader, int heapMb, Load load, int rounds) throws Exception {
        Map<String, String> conf = new HashMap<>(ReadAheadGauges.sparkConf());
        conf.putAll(reader.conf());
        conf.put("spark.ui.enabled", "false");
        conf.put("spark.driver.host", "127.0.0.1");
        conf.put("spark.driver.bindAddress", "127.0.0.1");
        conf.put("spark.sql.shuffle.partitions", "2");
        conf.put("spark.local.dir", directory.resolve("spark").toString());
        List<TableQuery> queries = List.of(TableQuery.Q6, TableQuery.Q18);
        return new CellJvm(directory.resolve("cells"), Duration.ofMinutes(2))
                .run(
                        reader.id() + heapMb,
                        heapMb,
                        new CellSettings(reader, new CellSettings.Work(queries, load, 0, rounds, 2), paths, conf));
    }
}
