// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does in its own time, with a bound that only a broken test meets. */
public final class Conditions {
    private Conditions() {}

    /** Returns once {@code condition} holds. */
    public static void holds(BooleanSupplier condition, String otherwise) {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(otherwise);
            }
            LockSupport.parkNanos(100_000);
        }
    }
}
