// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.examples.tpch.TableQuery;
import io.asyncscan.examples.tpch.Tables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a query that fails does to the others. */
@Timeout(300)
class ConcurrentQueriesTest {
    @TempDir
    private Path directory;

    @Test
    void aQueryThatFailsEndsASteadyLoad() throws Exception {
        new Tables(0.01, 10_000).writeMissing(directory, table -> {});
        Map<String, String> paths = new HashMap<>();
        for (String table : Tables.names()) {
            paths.put(table, directory.resolve(Tables.file(table)).toUri().toString());
        }
        SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "2")
                .config("spark.local.dir", directory.resolve("spark").toString())
                .getOrCreate();
        try (ConcurrentQueries queries =
                new ConcurrentQueries(spark, List.of(TableQuery.Q6, TableQuery.Q18), "parquet", paths)) {
            // Q6 has no need of it.
            Files.delete(directory.resolve(Tables.file("orders")));
            ConcurrentQueries.Measured measured = queries.steadily(1000);
            assertEquals(1, queries.failures());
            assertFalse(measured.runs().containsKey(TableQuery.Q18));
            assertFalse(measured.seconds().isEmpty());
            assertTrue(queries.begun() > measured.ended());
            // The rest of the load is over as well, so that each runs once more.
            assertEquals(Set.of(TableQuery.Q6), queries.rounds(1).runs().keySet());
            assertEquals(2, queries.failures());
        } finally {
            spark.stop();
        }
    }
}
