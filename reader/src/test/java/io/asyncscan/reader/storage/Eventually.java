// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what another process or thread does in its own time, with a bound that only a broken test meets. */
final class Eventually {
    private Eventually() {}

    static void holds(BooleanSupplier condition, String otherwise) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(otherwise);
            }
            Thread.sleep(1);
        }
    }
}
