// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Makes calls that wait for a store many at a time. The threads end with the call. */
final class ParallelCalls {
    /** Most calls at once: enough to read 2,000 footers at 30 ms in a second, and far below a connection pool. */
    private static final int MAX_THREADS = 64;

    private ParallelCalls() {}

    /**
     * Calls {@code action} for every item and waits for all. Stops at the first failure and throws it.
     *
     * @throws IllegalStateException if the thread was interrupted; its interrupt is set again
     */
    static <T> void forEach(List<T> items, Consumer<T> action) {
        if (items.size() <= 1) {
            items.forEach(action);
            return;
        }
        AtomicInteger numbers = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(MAX_THREADS, items.size()), run -> {
            Thread thread = new Thread(run, "asyncscan-plan-" + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<?>> calls = new ArrayList<>(items.size());
            for (T item : items) {
                calls.add(threads.submit(() -> action.accept(item)));
            }
            for (Future<?> call : calls) {
                call.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("planning was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }
}
