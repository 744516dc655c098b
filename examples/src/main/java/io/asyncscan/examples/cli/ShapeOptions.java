// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.cli;

import io.asyncscan.examples.s3.Shape;
import java.time.Duration;

/** The options that shape a server. */
public final class ShapeOptions {
    private ShapeOptions() {}

    /** Reads {@code --latency-ms}, {@code --connection-mb} and {@code --total-mb}; the defaults are {@link Shape#S3}. */
    public static Shape read(Arguments arguments) {
        int latency = arguments.whole("--latency-ms", (int) Shape.S3.firstByte().toMillis(), 0, 10_000);
        double connection = arguments.number("--connection-mb", megabytes(Shape.S3.connectionBytesPerSecond()), 0, 1e5);
        double total = arguments.number("--total-mb", megabytes(Shape.S3.totalBytesPerSecond()), 0, 1e5);
        return Shape.ofMegabytes(Duration.ofMillis(latency), connection, total);
    }

    private static double megabytes(long bytes) {
        return (double) bytes / 1e6;
    }
}
