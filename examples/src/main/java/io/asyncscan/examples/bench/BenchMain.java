// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.Arguments;
import io.asyncscan.examples.cli.Command;
import io.asyncscan.examples.cli.Disk;
import io.asyncscan.examples.cli.ShapeOptions;
import io.asyncscan.examples.cli.Table;
import io.asyncscan.examples.cli.UserError;
import io.asyncscan.examples.run.Reader;
import io.asyncscan.examples.run.Run;
import io.asyncscan.examples.run.Runner;
import io.asyncscan.examples.run.Source;
import io.asyncscan.examples.s3.Shape;
import io.asyncscan.examples.s3.Traffic;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Readers of Parquet and CSV against the limit that network and decoder set. {@code bench.sh} runs it. */
public final class BenchMain {
    /** Runs of each reader before measuring. */
    private final int warmUps;

    private final int runs;
    private final Shape shape;
    private final List<Reader> readers;
    private final FileServer server;
    private final Runner runner;
    private final BenchData data;
    private final PrintStream out = System.out;

    private BenchMain(
            int warmUps,
            int runs,
            Shape shape,
            List<Reader> readers,
            FileServer server,
            Runner runner,
            BenchData data) {
        this.warmUps = warmUps;
        this.runs = runs;
        this.shape = shape;
        this.readers = readers;
        this.server = server;
        this.runner = runner;
        this.data = data;
    }

    /** Exit codes: 0 done, 1 failed or the answers differ, 2 called wrongly or the machine lacks something. */
    public static void main(String[] args) {
        Command.run(args, "/io/asyncscan/examples/bench-help.txt", BenchMain::run);
    }

    private static int run(Arguments arguments) throws Exception {
        double scale = arguments.number("--scale", 1, 0.01, 100);
        int runs = arguments.whole("--runs", 3, 1, 1000);
        int warmUps = arguments.whole("--warm-ups", 2, 0, 1000);
        int cores = arguments.whole("--cores", 2, 1, 256);
        int port = arguments.whole("--port", 0, 0, 65_535);
        Shape shape = ShapeOptions.read(arguments);
        Path output = Path.of(arguments.text("--output", "target/bench"))
                .toAbsolutePath()
                .normalize();
        List<BenchCase> cases = BenchCase.parse(arguments.text("--cases", "all"));
        String format = arguments.text("--format", "asyncscan");
        List<Reader> readers = readers(arguments.text("--readers", "spark,asyncscan"), format);
        arguments.requireNoOther();

        Disk.requireRoom(output, 0, "--output");
        Set<String> keys = new LinkedHashSet<>();
        cases.forEach(c -> keys.add(c.key()));
        BenchData data = BenchData.ensure(output, scale, keys, System.out);
        try (FileServer server = new FileServer(output, port, shape)) {
            Map<String, String> conf = new HashMap<>(server.sparkConf());
            conf.put("spark.local.dir", output.resolve("spark").toString());
            try (Runner runner = new Runner(cores, conf)) {
                System.out.printf(
                        "Spark %s, %d cores, scale %s, %s, median of %d%n",
                        runner.version(), cores, scale, shape.describe(), runs);
                BenchMain bench = new BenchMain(warmUps, runs, shape, readers, server, runner, data);
                boolean equal = true;
                for (BenchCase c : cases) {
                    equal &= bench.measure(c);
                }
                return equal ? 0 : 1;
            }
        }
    }

    private static List<Reader> readers(String text, String format) {
        List<Reader> readers = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            readers.add(
                    switch (name) {
                        case "spark" -> Reader.SPARK;
                        case "spark-nopushdown" -> Reader.SPARK_WITHOUT_PUSHDOWN;
                        case "asyncscan" -> Reader.ASYNCSCAN.withFormat(format);
                        case "extension" -> Reader.EXTENSION;
                        default ->
                            throw new UserError("No reader is called " + name
                                    + ". There are: spark spark-nopushdown asyncscan extension.");
                    });
        }
        return readers;
    }

    private boolean measure(BenchCase c) throws IOException, InterruptedException {
        String local = data.local(c.key()).toUri().toString();
        Source hotSource = c.source(local);
        Source source = c.source(c.remote() ? data.remote(c.key()) : local);
        Traffic traffic = server.link().traffic();
        server.link().shape(Shape.UNSHAPED);
        for (int i = 0; i < warmUps; i++) {
            runner.run(Reader.SPARK, c.query(), hotSource, traffic);
            for (Reader reader : readers) {
                runner.run(reader, c.query(), source, traffic);
            }
        }
        server.link().shape(shape);
        List<Run> hot = new ArrayList<>();
        Map<Reader, List<Run>> measured = new LinkedHashMap<>();
        readers.forEach(reader -> measured.put(reader, new ArrayList<>()));
        TreeSet<String> answers = new TreeSet<>();
        for (int i = 0; i < runs; i++) {
            hot.add(runner.run(Reader.SPARK, c.query(), hotSource, traffic));
            for (Reader reader : readers) {
                Run run = runner.run(reader, c.query(), source, traffic);
                measured.get(reader).add(run);
                answers.add(run.answer());
            }
        }
        answers.add(hot.get(0).answer());
        report(c, Run.median(hot).seconds(), measured);
        if (answers.size() != 1) {
            System.err.println("error: the answers differ: " + answers);
            return false;
        }
        return true;
    }

    private void report(BenchCase c, double hotSeconds, Map<Reader, List<Run>> measured) throws IOException {
        long needed = data.neededBytes(c.key(), c.query().columns());
        double wireSeconds = c.remote() && shape.totalBytesPerSecond() > 0
                ? (double) needed / (double) shape.totalBytesPerSecond()
                : 0;
        double limit = Math.max(wireSeconds, hotSeconds);
        out.printf(
                Locale.ROOT,
                "%n%s: %s; %.1f MB needed, %.2f s on the wire, %.2f s to decode hot: limit %.2f s%n%n",
                c.id(),
                c.title(),
                (double) needed / 1e6,
                wireSeconds,
                hotSeconds,
                limit);
        Table table = new Table(
                "",
                "seconds",
                "min",
                "max",
                "x limit",
                "GETs",
                "HEADs",
                "LISTs",
                "MB",
                "over-read",
                "busy cores",
                "stall s");
        measured.forEach((reader, all) -> row(table, reader, all, limit, needed));
        out.print(table);
    }

    private static void row(Table table, Reader reader, List<Run> all, double limit, long needed) {
        Run run = Run.median(all);
        Traffic.Snapshot traffic = run.traffic();
        double over = traffic.bytes() == 0 ? 0 : (double) (traffic.bytes() - needed) / (double) traffic.bytes();
        table.row(
                reader.name(),
                format("%.3f", run.seconds()),
                format("%.3f", all.stream().mapToDouble(Run::seconds).min().orElse(0)),
                format("%.3f", all.stream().mapToDouble(Run::seconds).max().orElse(0)),
                format("%.2f", run.seconds() / limit),
                Long.toString(traffic.gets()),
                Long.toString(traffic.heads()),
                Long.toString(traffic.lists()),
                format("%.1f", (double) traffic.bytes() / 1e6),
                format("%.1f %%", 100 * Math.max(over, 0)),
                format("%.2f", run.busyCores()),
                run.stallSeconds().isPresent()
                        ? format("%.2f", run.stallSeconds().getAsDouble())
                        : "-");
    }

    private static String format(String pattern, double value) {
        return String.format(Locale.ROOT, pattern, value);
    }
}
