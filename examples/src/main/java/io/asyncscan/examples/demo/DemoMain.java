// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.demo;

import io.asyncscan.examples.cli.Arguments;
import io.asyncscan.examples.cli.Command;
import io.asyncscan.examples.cli.Disk;
import io.asyncscan.examples.cli.Table;
import io.asyncscan.examples.run.Reader;
import io.asyncscan.examples.run.Run;
import io.asyncscan.examples.run.Runner;
import io.asyncscan.examples.s3.EmbeddedS3;
import io.asyncscan.examples.s3.Shape;
import io.asyncscan.examples.s3.Traffic;
import io.asyncscan.examples.tpch.Query;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** TPC-H Q6 from a store that answers like S3, by Spark's own reader and by asyncscan in turn. {@code demo.sh} runs it. */
public final class DemoMain {
    private final DemoOptions options;
    private final PrintStream out = System.out;

    private DemoMain(DemoOptions options) {
        this.options = options;
    }

    /** Exit codes: 0 done, 1 failed or the answers differ, 2 called wrongly or the machine lacks something. */
    public static void main(String[] args) {
        Command.run(args, "/io/asyncscan/examples/demo-help.txt", DemoMain::run);
    }

    private static int run(Arguments arguments) throws Exception {
        return new DemoMain(DemoOptions.read(arguments)).run();
    }

    private int run() throws Exception {
        Disk.requireRoom(options.output(), 0, "--output");
        try (EmbeddedS3 s3 = EmbeddedS3.builder()
                .port(options.port())
                .directory(options.output().resolve("store"))
                .start()) {
            out.println("store: " + s3.endpoint() + ", signatures checked, "
                    + options.shape().describe());
            String path = DemoData.ensure(s3, options.scale(), options.output(), out);
            Map<String, String> conf = new HashMap<>(s3.sparkConf());
            conf.put("spark.local.dir", options.output().resolve("spark").toString());
            out.println("spark: starting, " + options.cores() + " cores");
            try (Runner runner = new Runner(options.cores(), conf)) {
                out.println("spark: version " + runner.version());
                return compare(s3, runner, path);
            }
        }
    }

    private int compare(EmbeddedS3 s3, Runner runner, String path) throws InterruptedException, IOException {
        List<Reader> readers = List.of(Reader.SPARK, Reader.ASYNCSCAN.withFormat(options.format()));
        out.println("warm-up: TPC-H Q6 by each reader, the store unshaped, not measured");
        s3.shape(Shape.UNSHAPED);
        for (int i = 0; i < 2; i++) {
            for (Reader reader : readers) {
                runner.run(reader, Query.Q6, path, s3.traffic());
            }
        }
        s3.shape(options.shape());
        Map<Reader, List<Run>> runs = new LinkedHashMap<>();
        readers.forEach(reader -> runs.put(reader, new ArrayList<>()));
        TreeSet<String> answers = new TreeSet<>();
        for (int i = 1; i <= options.runs(); i++) {
            for (Reader reader : readers) {
                Run run = runner.run(reader, Query.Q6, path, s3.traffic());
                runs.get(reader).add(run);
                answers.add(run.answer());
                out.printf(
                        Locale.ROOT,
                        "run %d of %d: %-18s  %6.2f s  %4d GETs  answer %s%n",
                        i,
                        options.runs(),
                        reader.name(),
                        run.seconds(),
                        run.traffic().gets(),
                        run.answer());
            }
        }
        if (answers.size() != 1) {
            System.err.println("error: the answers differ: " + answers);
            return 1;
        }
        Run spark = Run.median(runs.get(readers.get(0)));
        Run asyncscan = Run.median(runs.get(readers.get(1)));
        out.println();
        out.printf(
                Locale.ROOT,
                "TPC-H Q6, lineitem at scale %s, median of %d, answers equal: %s%n%n",
                options.scale(),
                options.runs(),
                answers.first());
        out.println(table(spark, asyncscan));
        return chart(spark, asyncscan) ? 0 : 1;
    }

    private static String table(Run spark, Run asyncscan) {
        Table table = new Table("", "seconds", "speed-up", "GETs", "MB", "busy cores", "stall s");
        row(table, Reader.SPARK.name(), spark, spark);
        row(table, Reader.ASYNCSCAN.name(), asyncscan, spark);
        return table.toString();
    }

    private static void row(Table table, String name, Run run, Run spark) {
        Traffic.Snapshot traffic = run.traffic();
        table.row(
                name,
                String.format(Locale.ROOT, "%.2f", run.seconds()),
                String.format(Locale.ROOT, "%.1f x", spark.seconds() / run.seconds()),
                Long.toString(traffic.gets()),
                String.format(Locale.ROOT, "%.1f", (double) traffic.bytes() / 1e6),
                String.format(Locale.ROOT, "%.2f", run.busyCores()),
                run.stallSeconds().isPresent()
                        ? String.format(Locale.ROOT, "%.2f", run.stallSeconds().getAsDouble())
                        : "-");
    }

    private boolean chart(Run spark, Run asyncscan) throws IOException {
        Path file = options.output().resolve("throughput.png");
        try {
            new ThroughputChart("TPC-H Q6 from S3: " + options.shape().describe())
                    .spark(Reader.SPARK.name(), spark)
                    .asyncscan(Reader.ASYNCSCAN.name(), asyncscan)
                    .write(file, options.shape());
        } catch (LinkageError | InternalError e) {
            // A JDK without fonts, as in some containers. The measurements stand.
            System.err.println(
                    "error: no chart, because this Java cannot draw text (" + e + "). Install fontconfig and a font.");
            return false;
        }
        out.println("chart of the network throughput over time: " + file);
        return true;
    }
}
