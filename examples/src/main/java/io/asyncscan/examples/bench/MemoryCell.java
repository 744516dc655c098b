// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.Arguments;
import io.asyncscan.examples.cli.Command;
import io.asyncscan.examples.tpch.TableQuery;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.ToLongFunction;
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
        try (ConcurrentQueries queries =
                new ConcurrentQueries(spark, work.queries(), settings.reader().format(), settings.paths())) {
            // Reading a schema was a job, but no query.
            spark.sparkContext().addSparkListener(totals);
            System.out.println("warm-ups: " + queries.rounds(work.warmUps()).seconds());
            long warmUpNanos = cpuNanos(totals.await(queries.begun()));
            heap.reset();
            ConcurrentQueries.Measured measured =
                    work.load() == Load.STEADY ? queries.steadily(work.rounds()) : queries.rounds(work.rounds());
            double gcSeconds = heap.gcSeconds();
            long heapPeak = heap.peakAfterGc();
            Map<String, TaskTotals.Sums> sums = totals.await(queries.begun());
            SortedMap<String, Long> gauges = ReadAheadGauges.read();
            System.out.println("gauges: " + gauges);
            measured.runs()
                    .forEach((query, runs) -> System.out.println(query + ": " + runs.size() + " runs of "
                            + runs.stream().map(run -> describe(run, sums)).toList()));
            return new CellFigures(
                    measured.seconds(),
                    measured.ended(),
                    new CellFigures.Work(
                            (double) (cpuNanos(sums) - warmUpNanos) / 1e9,
                            gcSeconds,
                            perRound(measured, sums, TaskTotals.Sums::memorySpilled) * work.rounds(),
                            perRound(measured, sums, TaskTotals.Sums::diskSpilled) * work.rounds()),
                    new CellFigures.Memory(
                            heapPeak, gauges.get("readAheadPeakBytes"), Math.round(fraction * (double) pool)),
                    queries.failures(),
                    queries.answers());
        }
    }

    private static String describe(ConcurrentQueries.Run run, Map<String, TaskTotals.Sums> sums) {
        long spilled = sums.getOrDefault(run.id(), TaskTotals.Sums.NONE).memorySpilled();
        return String.format(Locale.ROOT, "%.2f s, %d bytes spilled", run.seconds(), spilled);
    }

    private static long cpuNanos(Map<String, TaskTotals.Sums> sums) {
        return sums.values().stream().mapToLong(TaskTotals.Sums::cpuNanos).sum();
    }

    /** Of each query the mean of its runs, all queries together. */
    private static long perRound(
            ConcurrentQueries.Measured measured,
            Map<String, TaskTotals.Sums> sums,
            ToLongFunction<TaskTotals.Sums> value) {
        double all = 0;
        for (Map.Entry<TableQuery, List<ConcurrentQueries.Run>> each :
                measured.runs().entrySet()) {
            double mean = each.getValue().stream()
                    .mapToLong(run -> value.applyAsLong(sums.getOrDefault(run.id(), TaskTotals.Sums.NONE)))
                    .average()
                    .orElse(0);
            all += mean;
        }
        return Math.round(all);
    }
}
