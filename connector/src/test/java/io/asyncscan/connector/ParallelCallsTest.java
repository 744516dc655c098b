// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParallelCallsTest {
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    private static List<Integer> items(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private void threadsEnd() throws InterruptedException {
        for (Thread thread : threads) {
            if (thread != Thread.currentThread()) {
                thread.join(20_000);
                assertFalse(thread.isAlive(), thread + " lives on");
            }
        }
    }

    @Test
    void callsForEveryItemOnce() throws InterruptedException {
        for (int count : new int[] {0, 1, 2, 500}) {
            Set<Integer> seen = ConcurrentHashMap.newKeySet();
            ParallelCalls.forEach(items(count), item -> {
                threads.add(Thread.currentThread());
                assertTrue(seen.add(item));
            });
            assertEquals(count, seen.size());
        }
        assertTrue(threads.size() <= 1 + 2 + 64);
        threadsEnd();
    }

    @Test
    void theFirstFailureEndsItThoughOthersHang() throws InterruptedException {
        IllegalStateException failure = new IllegalStateException("no such file");
        CountDownLatch never = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> ParallelCalls.forEach(items(10), item -> {
                    threads.add(Thread.currentThread());
                    if (item == 5) {
                        throw failure;
                    }
                    if (item == 0) {
                        try {
                            assertTrue(never.await(20, TimeUnit.SECONDS), "waited in vain");
                        } catch (InterruptedException e) {
                            interrupted.set(true);
                        }
                    }
                }));
        assertSame(failure, thrown);
        threadsEnd();
        assertTrue(interrupted.get(), "what hangs is interrupted");
    }

    @Test
    void errorsComeAsTheyAre() {
        NoClassDefFoundError error = new NoClassDefFoundError("x");
        assertSame(
                error,
                assertThrows(
                        NoClassDefFoundError.class,
                        () -> ParallelCalls.forEach(items(3), item -> {
                            throw error;
                        })));
    }

    @Test
    void anInterruptEndsItAndIsKept() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(2);
        CountDownLatch never = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicBoolean kept = new AtomicBoolean();
        Thread caller = new Thread(() -> {
            try {
                ParallelCalls.forEach(items(2), item -> {
                    threads.add(Thread.currentThread());
                    started.countDown();
                    try {
                        assertTrue(never.await(20, TimeUnit.SECONDS), "waited in vain");
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            } catch (Throwable e) {
                thrown.set(e);
                kept.set(Thread.currentThread().isInterrupted());
            }
        });
        caller.start();
        assertTrue(started.await(20, TimeUnit.SECONDS));
        caller.interrupt();
        caller.join(20_000);
        assertTrue(thrown.get() instanceof IllegalStateException, "" + thrown.get());
        assertTrue(kept.get());
        threadsEnd();
    }
}
