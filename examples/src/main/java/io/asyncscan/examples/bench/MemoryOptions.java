// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.Arguments;
import io.asyncscan.examples.cli.ShapeOptions;
import io.asyncscan.examples.cli.UserError;
import io.asyncscan.examples.s3.Shape;
import io.asyncscan.examples.tpch.TableQuery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the bench was asked to do; {@code memory-help.txt} explains each.
 *
 * @param scale TPC-H scale factor
 * @param passes JVMs of each reader within each limit
 * @param readers in the order of the table
 * @param limits which heaps
 * @param work of each JVM
 * @param local whether files are read from the disk instead of the store
 * @param shape of the store
 * @param port of the store; 0 = a free one
 * @param output directory of data and logs
 */
record MemoryOptions(
        double scale,
        int passes,
        List<MemoryReader> readers,
        MemoryLimits limits,
        CellSettings.Work work,
        boolean local,
        Shape shape,
        int port,
        Path output) {

    static MemoryOptions read(Arguments arguments) {
        MemoryOptions options = new MemoryOptions(
                arguments.number("--scale", 0.5, 0.01, 100),
                arguments.whole("--passes", 2, 1, 100),
                MemoryReader.parse(arguments.text("--readers", "spark,asyncscan,extension")),
                new MemoryLimits(
                        MemoryLimits.parse(arguments.text("--limits", "plenty,half,quarter,smallest")),
                        arguments.whole("--plenty-mb", 2048, 4 * MemoryLimits.LOWEST_MB, 1 << 20),
                        arguments.whole("--smallest-mb", 0, 0, 1 << 20)),
                new CellSettings.Work(
                        queries(arguments.text("--queries", "q1,q6,q9,q18")),
                        Load.parse(arguments.text("--load", "rounds")),
                        arguments.whole("--warm-ups", 1, 0, 100),
                        arguments.whole("--rounds", 2, 1, 1000),
                        arguments.whole("--cores", 2, 1, 256)),
                isLocal(arguments.text("--from", "s3")),
                ShapeOptions.read(arguments),
                arguments.whole("--port", 0, 0, 65_535),
                Path.of(arguments.text("--output", "target/memory-bench"))
                        .toAbsolutePath()
                        .normalize());
        arguments.requireNoOther();
        return options;
    }

    private static List<TableQuery> queries(String text) {
        List<TableQuery> queries = new ArrayList<>();
        for (String id : text.split(",", -1)) {
            try {
                queries.add(TableQuery.valueOf(id.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new UserError("No query is called " + id + ". There are: q1 q6 q9 q18 scan.", e);
            }
        }
        if (queries.stream().distinct().count() < queries.size()) {
            throw new UserError("Option --queries names a query twice: " + text + ".");
        }
        return queries;
    }

    private static boolean isLocal(String from) {
        if (!from.equals("s3") && !from.equals("local")) {
            throw new UserError("Option --from takes s3 or local, not " + from + ".");
        }
        return from.equals("local");
    }
}
