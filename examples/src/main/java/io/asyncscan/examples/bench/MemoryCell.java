// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.Arguments;
import io.asyncscan.examples.cli.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;

/** The child JVM of {@link MemoryBench}: one reader within one heap. Its last line of output has what it measured. */
public final class MemoryCell {
    private MemoryCell() {}

    /** Exit codes: 0 all rounds ended, 1 failed. Queries that failed are counted in the figures. */
    public static void main(String[] args) {
        Command.run(args, "/io/asyncscan/examples/memory-help.txt", MemoryCell::run);
    }

    private static int run(Arguments arguments) throws Exception {
        Path file = Path.of(arguments.text("--settings", ""));
        arguments.requireNoOther();
        CellSettings settings = CellSettings.read(file);
        HeapWatch heap = new HeapWatch();
        SparkSession.Builder builder = SparkSession.builder()
                .master("local[" + settings.work().cores() + "]")
                .appName("asyncscan memory bench");
        settings.conf().forEach(builder::config);
        SparkSession spark = builder.getOrCreate();
        try {
            System.out.println(measure(spark, settings, heap).toLine());
            return 0;
        } finally {
            spark.stop();
        }
    }

    private static CellFigures measure(SparkSession spark, CellSettings settings, HeapWatch heap) throws Exception {
        // Before any query, all of the pool is free: what read-ahead may have of it at most.
        double fraction = spark.sparkContext().getConf().getDouble("spark.asyncscan.memoryFraction", 0.3);
        long pool = SparkEnv.get().memoryManager().maxOnHeapStorageMemory();
        CellSettings.Work work = settings.work();
        TaskTotals totals = new TaskTotals();
        List<Double> seconds = new ArrayList<>();
        try (ConcurrentQueries queries =
                new ConcurrentQueries(spark, work.queries(), settings.reader().format(), settings.paths())) {
            // Reading a schema was a job, but no query.
            spark.sparkContext().addSparkListener(totals);
            for (int i = 0; i < work.warmUps(); i++) {
                System.out.printf(Locale.ROOT, "warm-up: %.2f s%n", queries.round());
            }
            int warmUpQueries = work.warmUps() * work.queries().size();
            TaskTotals.Sums before = totals.await(warmUpQueries);
            heap.reset();
            for (int i = 0; i < work.rounds(); i++) {
                seconds.add(queries.round());
            }
            double gcSeconds = heap.gcSeconds();
            long heapPeak = heap.peakAfterGc();
            TaskTotals.Sums sums = totals.await(
                            warmUpQueries + work.rounds() * work.queries().size())
                    .minus(before);
            SortedMap<String, Long> gauges = ReadAheadGauges.read();
            System.out.println("gauges: " + gauges);
            return new CellFigures(
                    seconds,
                    new CellFigures.Work(
                            (double) sums.cpuNanos() / 1e9, gcSeconds, sums.memorySpilled(), sums.diskSpilled()),
                    new CellFigures.Memory(
                            heapPeak, gauges.get("readAheadPeakBytes"), Math.round(fraction * (double) pool)),
                    queries.failures(),
                    queries.answers());
        }
    }
}
