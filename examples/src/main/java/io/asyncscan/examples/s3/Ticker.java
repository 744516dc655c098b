// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;

/** Time as the link sees it, so that tests of shaping need not wait. Safe from any thread. */
interface Ticker {
    /** The machine's clock. */
    Ticker SYSTEM = new Ticker() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedIOException {
            // Parking, not sleeping: a slice lasts about a millisecond, and Thread.sleep rounds up to whole ones.
            long deadline = System.nanoTime() + nanos;
            for (long left = nanos; left > 0; left = deadline - System.nanoTime()) {
                LockSupport.parkNanos(left);
                if (Thread.interrupted()) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted while pacing an answer");
                }
            }
        }
    };

    /** Nanoseconds since some fixed point. */
    long nanos();

    /** Returns once {@code nanos} nanoseconds have passed; at once if that is not positive. */
    void sleep(long nanos) throws InterruptedIOException;
}
