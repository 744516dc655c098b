// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.demo;

import io.asyncscan.examples.cli.Arguments;
import io.asyncscan.examples.cli.ShapeOptions;
import io.asyncscan.examples.s3.Shape;
import java.nio.file.Path;

/**
 * What the demo was asked to do; {@code demo-help.txt} explains each.
 *
 * @param scale TPC-H scale factor
 * @param runs measured runs of each reader
 * @param shape of the server while it is measured
 * @param port of the server; 0 = a free one
 * @param cores Spark's task threads
 * @param output directory of the data and the chart
 * @param format what stands in for asyncscan: an option that the help does not mention, to try the demo itself
 */
record DemoOptions(double scale, int runs, Shape shape, int port, int cores, Path output, String format) {

    static DemoOptions read(Arguments arguments) {
        DemoOptions options = new DemoOptions(
                arguments.number("--scale", 1, 0.001, 100),
                arguments.whole("--runs", 3, 1, 100),
                ShapeOptions.read(arguments),
                arguments.whole("--port", 0, 0, 65_535),
                arguments.whole("--cores", 2, 1, 256),
                Path.of(arguments.text("--output", "target/demo"))
                        .toAbsolutePath()
                        .normalize(),
                arguments.text("--format-under-test", "asyncscan"));
        arguments.requireNoOther();
        return options;
    }
}
