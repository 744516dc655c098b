// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * How slow a link to an object store is.
 *
 * @param firstByte time from a request's arrival to the first byte of its answer; GET, HEAD and LIST alike
 * @param connectionBytesPerSecond most that one connection carries; 0 = no limit
 * @param totalBytesPerSecond most that all connections together carry; 0 = no limit
 */
public record Shape(Duration firstByte, long connectionBytesPerSecond, long totalBytesPerSecond) {
    /** Decimal, as networks are sold. */
    private static final long MEGABYTE = 1_000_000;

    /** No latency, no limit: as fast as this machine serves. */
    public static final Shape UNSHAPED = new Shape(Duration.ZERO, 0, 0);

    /**
     * What one small machine sees of S3 in its own region: 30 ms to the first byte, 60 MB/s a connection, 150 MB/s
     * (1.2 Gbit/s) in all.
     */
    public static final Shape S3 = ofMegabytes(Duration.ofMillis(30), 60, 150);

    /** Checks the ranges. */
    public Shape {
        if (firstByte.isNegative() || connectionBytesPerSecond < 0 || totalBytesPerSecond < 0) {
            throw new IllegalArgumentException("latency and bandwidths must not be negative: " + firstByte + ", "
                    + connectionBytesPerSecond + ", " + totalBytesPerSecond);
        }
    }

    /**
     * The same with bandwidths in MB/s (10^6 bytes a second).
     *
     * @param connection MB/s of one connection; 0 = no limit
     * @param total MB/s of all connections together; 0 = no limit
     */
    public static Shape ofMegabytes(Duration firstByte, double connection, double total) {
        return new Shape(firstByte, Math.round(connection * MEGABYTE), Math.round(total * MEGABYTE));
    }

    /** One line for people, such as {@code 30 ms to the first byte, 60 MB/s a connection, 150 MB/s in all}. */
    public String describe() {
        return firstByte.toMillis() + " ms to the first byte, " + megabytes(connectionBytesPerSecond)
                + " a connection, " + megabytes(totalBytesPerSecond) + " in all";
    }

    private static String megabytes(long bytesPerSecond) {
        if (bytesPerSecond == 0) {
            return "no limit";
        }
        // No trailing zeros: 60 MB/s, 0.5 MB/s.
        return BigDecimal.valueOf(bytesPerSecond)
                        .divide(BigDecimal.valueOf(MEGABYTE))
                        .stripTrailingZeros()
                        .toPlainString()
                + " MB/s";
    }
}
