// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The scheduler that one request gives to the SDK: instead of running the SDK's timeout task when the time is up, it hands
 * the task to the exchange. Running it interrupts the calling thread and aborts the HTTP request, at whatever stage it is,
 * and the SDK takes back the interrupt when the call returns. The synchronous client has no other way to abort a
 * request before its response has begun.
 */
final class CapturingScheduler extends AbstractExecutorService implements ScheduledExecutorService {
    private final Consumer<Runnable> captor;

    CapturingScheduler(Consumer<Runnable> captor) {
        this.captor = captor;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        captor.accept(command);
        return new Unscheduled<Void>();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new RejectedExecutionException("only the SDK's timeout tasks are taken");
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw new RejectedExecutionException("only the SDK's timeout tasks are taken");
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        throw new RejectedExecutionException("only the SDK's timeout tasks are taken");
    }

    @Override
    public void execute(Runnable command) {
        command.run();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    /** Stands for a task that never comes due. The SDK cancels the task itself as well. */
    private static final class Unscheduled<V> implements ScheduledFuture<V> {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return true;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public V get() {
            throw new UnsupportedOperationException("the task never comes due");
        }

        @Override
        public V get(long timeout, TimeUnit unit) {
            throw new UnsupportedOperationException("the task never comes due");
        }
    }
}
