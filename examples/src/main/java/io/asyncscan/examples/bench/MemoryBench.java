// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.Arguments;
import io.asyncscan.examples.cli.Command;
import io.asyncscan.examples.cli.Disk;
import io.asyncscan.examples.tpch.LineItems;
import io.asyncscan.examples.tpch.Tables;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Concurrent queries within heaps of several sizes, by Spark's own reader and by asyncscan, each in a JVM of its own. The
 * store is in this one, so that a child's heap is only Spark's. {@code memory-bench.sh} runs it.
 */
public final class MemoryBench {
    /** A round takes seconds; a heap that is too small can make it take hours. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final String BUCKET = "tpch";

    private final MemoryOptions options;
    private final Map<String, String> paths;
    private final Map<String, String> conf;
    private final CellJvm cells;
    private final PrintStream out = System.out;

    private MemoryBench(MemoryOptions options, Map<String, String> paths, Map<String, String> conf) {
        this.options = options;
        this.paths = paths;
        this.conf = conf;
        this.cells = new CellJvm(options.output().resolve("cells"), PATIENCE);
    }

    /** Exit codes: 0 done, 1 failed or a check did not hold, 2 called wrongly or the machine lacks something. */
    public static void main(String[] args) {
        Command.run(args, "/io/asyncscan/examples/memory-help.txt", MemoryBench::run);
    }

    private static int run(Arguments arguments) throws Exception {
        MemoryOptions options = MemoryOptions.read(arguments);
        String scale =
                "sf" + BigDecimal.valueOf(options.scale()).stripTrailingZeros().toPlainString();
        Path directory = options.output().resolve(BUCKET).resolve(scale);
        Tables tables = new Tables(options.scale(), LineItems.DEFAULT_ROWS_PER_GROUP);
        Disk.requireRoom(options.output(), tables.expectedBytes(), "--output");
        tables.writeMissing(directory, table -> System.out.println("data: generating " + directory.resolve(table)));
        try (FileServer server = new FileServer(options.output(), options.port(), options.shape())) {
            Map<String, String> paths = new HashMap<>();
            for (String table : Tables.names()) {
                Path file = directory.resolve(Tables.file(table));
                paths.put(
                        table,
                        options.local()
                                ? file.toUri().toString()
                                : "s3a://" + BUCKET + "/" + scale + "/" + Tables.file(table));
            }
            return new MemoryBench(options, paths, conf(options, server)).measure();
        }
    }

    private static Map<String, String> conf(MemoryOptions options, FileServer server) throws IOException {
        Map<String, String> conf = new HashMap<>(server.sparkConf());
        conf.putAll(ReadAheadGauges.sparkConf());
        conf.put("spark.local.dir", options.output().resolve("spark").toString());
        conf.put("spark.ui.enabled", "false");
        conf.put("spark.ui.showConsoleProgress", "false");
        conf.put("spark.driver.host", "127.0.0.1");
        conf.put("spark.driver.bindAddress", "127.0.0.1");
        conf.put("spark.scheduler.mode", "FAIR");
        // A task a core: what a sort holds is as large as it gets, so that it feels the limit.
        conf.put("spark.sql.shuffle.partitions", Integer.toString(options.work().cores()));
        return conf;
    }

    private int measure() throws IOException, InterruptedException {
        List<MemoryLimits.Heap> heaps = options.limits().heaps(this::sparkSucceeds);
        out.printf(
                "%s at once, scale %s, %d cores, %s, %d JVMs of %d %s each%n",
                options.work().queries(),
                options.scale(),
                options.work().cores(),
                options.local() ? "local files" : options.shape().describe(),
                options.passes(),
                options.work().rounds(),
                options.work().load() == Load.STEADY ? "runs of each query or more" : "rounds");
        Map<Cell, List<Optional<CellFigures>>> measured = new LinkedHashMap<>();
        for (MemoryLimits.Heap heap : heaps) {
            options.readers().forEach(reader -> measured.put(new Cell(heap, reader), new ArrayList<>()));
        }
        for (int pass = 0; pass < options.passes(); pass++) {
            List<Cell> order = new ArrayList<>(measured.keySet());
            if (pass % 2 == 1) {
                // Who went first goes last: neither reader shall have the quieter machine.
                Collections.reverse(order);
            }
            for (Cell cell : order) {
                measured.get(cell).add(pass(cell, pass));
            }
        }
        MemoryTable table = new MemoryTable();
        measured.forEach((cell, all) -> {
            List<CellFigures> figures = all.stream().flatMap(Optional::stream).toList();
            table.add(new MemoryTable.Row(cell.heap, cell.reader, figures, all.size() - figures.size()));
        });
        out.println();
        out.print(table);
        table.faults().forEach(fault -> System.err.println("error: " + fault));
        return table.faults().isEmpty() ? 0 : 1;
    }

    private record Cell(MemoryLimits.Heap heap, MemoryReader reader) {}

    private Optional<CellFigures> pass(Cell cell, int pass) throws IOException, InterruptedException {
        String name = cell.heap.heapMb() + "-" + cell.reader.id() + "-" + (pass + 1);
        Optional<CellFigures> figures = run(name, cell);
        out.println("  " + name + ": "
                + figures.map(CellFigures::toLine).orElse("did not end well, see " + cells.log(name)));
        return figures;
    }

    private boolean sparkSucceeds(int heapMb) throws IOException, InterruptedException {
        Cell cell = new Cell(new MemoryLimits.Heap(MemoryLimits.Limit.SMALLEST, heapMb), MemoryReader.SPARK);
        Optional<CellFigures> figures = run("search-" + heapMb, cell);
        boolean succeeds = figures.isPresent() && figures.get().failures() == 0;
        out.println("search: " + heapMb + " MB " + (succeeds ? "are enough" : "are not enough")
                + " for Spark's own reader");
        return succeeds;
    }

    private Optional<CellFigures> run(String name, Cell cell) throws IOException, InterruptedException {
        Map<String, String> all = new HashMap<>(conf);
        all.putAll(cell.reader.conf());
        return cells.run(name, cell.heap.heapMb(), new CellSettings(cell.reader, options.work(), paths, all));
    }
}
