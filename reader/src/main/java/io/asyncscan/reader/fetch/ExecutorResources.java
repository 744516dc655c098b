// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.ExecutorBudget;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * What all tasks of an executor share: the ASYNC pool and the account of read-ahead memory. One holder per JVM, made on
 * first use and counted: while anybody has a {@link Handle} the same pool and account serve all. When nobody has, the
 * pool's threads end after a short idle time, and the next user may bring other settings.
 */
public final class ExecutorResources {
    /** How long a thread of the pool waits for work before it ends: longer than the pause between two stages. */
    private static final Duration IDLE = Duration.ofSeconds(5);

    /** The resources in use, or those used last. Guarded by the class's monitor. */
    private static ExecutorResources current;

    /** What the scans counted that have ended. Guarded by the class's monitor. */
    private static ExecutorState.Totals ended = ExecutorState.Totals.NONE;

    /** Most bytes of buffers that wait to be used again: this, and no more than one part in so many of the heap. */
    private static final long MAX_FREE = 64L << 20;

    private static final int HEAP_SHARE = 32;

    /**
     * Requests that run at once in any case, per core, however long they are: with two cores four connections, which fill a
     * network of 200 MB/s at 50 MB/s each. Of short ones {@link io.asyncscan.governor.InFlightLimit} lets run more.
     */
    private static final int REQUESTS_PER_CORE = 2;

    private final BufferPool buffers;
    private final AsyncPool pool;
    private final ExecutorBudget budget;
    private final double memoryFraction;

    /** What the open handles count. Guarded by the class's monitor. */
    private final Set<ScanCounters> open = Collections.newSetFromMap(new IdentityHashMap<>());

    private ExecutorResources(int threads, int cores, double memoryFraction) {
        this.buffers = new BufferPool(Math.min(MAX_FREE, Runtime.getRuntime().maxMemory() / HEAP_SHARE));
        this.pool = new AsyncPool(threads, Math.max(1, REQUESTS_PER_CORE * cores), IDLE, buffers::trim);
        this.budget = new ExecutorBudget(memoryFraction);
        this.memoryFraction = memoryFraction;
    }

    /**
     * A handle on this JVM's resources.
     *
     * @param threads size of the pool, if it is made now
     * @param cores task slots of the executor
     * @param memoryFraction share of free memory for read-ahead, if the account is made now
     */
    public static synchronized Handle acquire(int threads, int cores, double memoryFraction) {
        boolean fits = current != null
                && (!current.open.isEmpty()
                        || (current.pool.maxThreads() == threads && current.memoryFraction == memoryFraction));
        if (!fits) {
            current = new ExecutorResources(threads, cores, memoryFraction);
        }
        Handle handle = current.new Handle();
        current.open.add(handle.counters);
        return handle;
    }

    /** The executor's state at this moment; zeros before the first scan. */
    public static synchronized ExecutorState state() {
        return current == null ? ExecutorState.NONE : current.stateNow();
    }

    /**
     * Most bytes that all read-ahead of this executor may hold now.
     *
     * @param memoryFraction share of free memory, as long as no scan has made the account
     * @param free asked for the bytes of the executor's memory that nobody holds
     */
    public static long allowance(double memoryFraction, LongSupplier free) {
        ExecutorBudget account;
        synchronized (ExecutorResources.class) {
            account = current == null ? new ExecutorBudget(memoryFraction) : current.budget;
        }
        return account.allowance(free);
    }

    private ExecutorState stateNow() {
        ExecutorState.Totals totals = ended;
        for (ScanCounters counters : open) {
            totals = totals.plus(counters);
        }
        return new ExecutorState(
                open.size(),
                pool.threads(),
                pool.busy(),
                pool.limit(),
                budget.inUse(),
                budget.peak(),
                buffers.free(),
                totals);
    }

    private static synchronized void release(ExecutorResources resources, ScanCounters counters) {
        if (resources.open.remove(counters)) {
            ended = ended.plus(counters);
        }
    }

    /** A share in the resources. Closed once by whoever acquired it; closing again does nothing. */
    public final class Handle implements AutoCloseable {
        private final AtomicBoolean closed = new AtomicBoolean();
        private final ScanCounters counters = new ScanCounters();

        private Handle() {}

        /** What the holder's scan counts; part of the executor's totals. */
        public ScanCounters counters() {
            return counters;
        }

        /** The I/O threads. */
        public AsyncPool pool() {
            return pool;
        }

        /** Arrays for what the threads fetch. */
        public BufferPool buffers() {
            return buffers;
        }

        /** The account of read-ahead memory. */
        public ExecutorBudget budget() {
            return budget;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                release(ExecutorResources.this, counters);
            }
        }
    }
}
