// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.asyncscan.examples.tpch.TableQuery;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellSettingsTest {
    @TempDir
    private Path directory;

    @Test
    void comesBackFromItsFile() throws Exception {
        CellSettings settings = new CellSettings(
                MemoryReader.ASYNCSCAN,
                new CellSettings.Work(List.of(TableQuery.Q18, TableQuery.Q1), Load.STEADY, 1, 3, 2),
                Map.of("lineitem", "s3a://bucket/lineitem.parquet"),
                Map.of("spark.local.dir", "C:\\a b", "spark.metrics.conf.*.sink.jmx.class", "x=y"));
        Path file = directory.resolve("cell.properties");
        settings.write(file);
        assertEquals(settings, CellSettings.read(file));
    }
}
