// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits between two attempts of a read. */
@FunctionalInterface
interface Pause {

    /** Waits on the calling thread, which the scope's cancellation wakes. */
    Pause REAL = (delay, scope) -> {
        CountDownLatch cancelled = new CountDownLatch(1);
        scope.onCancel(cancelled::countDown);
        try {
            return !cancelled.await(delay.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            scope.clearOnCancel();
        }
    };

    /** Returns true after {@code delay}, false as soon as {@code scope} is cancelled. */
    boolean pause(Duration delay, ReadScope scope) throws InterruptedException;
}
