// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import java.util.concurrent.TimeUnit;

/**
 * Hands out the time slots of a wire with a fixed bandwidth. Whoever wants to send reserves the next free slot and sends
 * when it has passed. Reservations are served in the order in which they are made, so small slices of many senders
 * interleave. Safe from any thread; never blocks.
 */
final class Pacer {
    /**
     * How far a reservation may reach back into unused time: what a sender that woke up late may catch up. Parking
     * oversleeps by 0.1 ms to 1 ms on a busy machine; without the catch-up each slice would lose as much.
     */
    private static final long CATCH_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final double nanosPerByte;
    private final Ticker ticker;

    /** End of the last reserved slot. Fractions matter: a slice of one byte lasts 16.67 ns at 60 MB/s. */
    private double reservedUntil;

    /** @param bytesPerSecond 0 = no limit */
    Pacer(long bytesPerSecond, Ticker ticker) {
        this.nanosPerByte = bytesPerSecond == 0 ? 0 : 1e9 / (double) bytesPerSecond;
        this.ticker = ticker;
        this.reservedUntil = (double) ticker.nanos();
    }

    /**
     * Takes the next slot that is long enough.
     *
     * @return nanoseconds from now until the last of the bytes is through; not positive if it is already
     */
    synchronized long reserve(long bytes) {
        if (nanosPerByte == 0) {
            return 0;
        }
        long now = ticker.nanos();
        reservedUntil = Math.max(reservedUntil, (double) (now - CATCH_UP_NANOS)) + (double) bytes * nanosPerByte;
        return (long) (reservedUntil - (double) now);
    }
}
