// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The read-ahead memory of one task.
 *
 * <p>The task thread reserves and settles; any thread may close a {@link Lease}. What other threads give back reaches
 * the task's memory at the next {@link #settle()}, because only the task thread may talk to {@link TaskMemory}.
 *
 * <p>A task may end, and {@link #close} be called, on another thread than the one that still pulls rows. No lock keeps
 * the two apart, because it would be held while memory is acquired, and taken again where Spark asks for memory back;
 * instead, whoever finds the budget closed after it acquired hands back at once.
 *
 * <p>Read-ahead takes only memory that is free: a reservation that would have to make somebody else give memory back is
 * refused. The job the task needs next is never refused ({@link #reserveHead}); what the task's memory cannot grant is
 * then held on top of it and counted in {@link #overdraft()}. Without that, two scans that feed one join could wait for
 * each other for ever.
 */
public final class TaskBudget implements AutoCloseable {
    private final ExecutorBudget executor;
    private final TaskMemory memory;
    private final long maxBytes;

    /** Bytes of open leases. Raised by the task thread only, so its check against {@link #maxBytes} holds. */
    private final AtomicLong held = new AtomicLong();

    /** Bytes of closed leases that {@link #memory} granted and has not got back yet. */
    private final AtomicLong toReturn = new AtomicLong();

    /** Bytes {@link #memory} granted and has not got back. Whoever lowers it releases as much. */
    private final AtomicLong granted = new AtomicLong();

    private long peak;
    private long overdraft;

    /** Once it is set, {@link #granted} goes back to zero and stays there. */
    private volatile boolean closed;

    /**
     * A budget over {@code memory}.
     *
     * @param maxBytes most bytes read-ahead of this task may hold (bytes, at least 0)
     */
    public TaskBudget(ExecutorBudget executor, TaskMemory memory, long maxBytes) {
        this.executor = executor;
        this.memory = memory;
        this.maxBytes = maxBytes;
    }

    /**
     * Reserves {@code bytes} for a job that is read ahead, if they are free. Task thread.
     *
     * @return the lease, or nothing when the job has to wait
     */
    public Optional<Lease> tryReserve(long bytes) {
        settle();
        long free = closed ? 0 : memory.free();
        if (closed || held.get() + bytes > maxBytes || bytes > free || !executor.tryCharge(bytes, free)) {
            return Optional.empty();
        }
        long got = bytes == 0 ? 0 : memory.acquire(bytes);
        if (got < bytes) {
            if (got > 0) {
                memory.release(got);
            }
            executor.refund(bytes);
            return Optional.empty();
        }
        return Optional.of(lease(bytes, got));
    }

    /** Reserves {@code bytes} for the job the task needs now, whatever the budget. Task thread. */
    public Lease reserveHead(long bytes) {
        settle();
        executor.charge(bytes);
        long wanted = closed ? 0 : Math.min(bytes, memory.free());
        long got = wanted == 0 ? 0 : memory.acquire(wanted);
        overdraft = Math.max(overdraft, bytes - got);
        return lease(bytes, got);
    }

    /** Hands back to the task's memory what closed leases returned. Task thread. Returns the bytes handed back. */
    public long settle() {
        long bytes = toReturn.getAndSet(0);
        return bytes == 0 ? 0 : handBack(bytes);
    }

    /** Hands back up to {@code bytes}; nothing where {@link #close} has handed back all. */
    private long handBack(long bytes) {
        long before = granted.getAndUpdate(now -> now - Math.min(now, bytes));
        long handed = Math.min(before, bytes);
        if (handed > 0) {
            memory.release(handed);
        }
        return handed;
    }

    /** Bytes of open leases. */
    public long held() {
        return held.get();
    }

    /** Most bytes that were held at once. */
    public long peak() {
        return peak;
    }

    /** Most bytes of a single job that the task's memory could not grant. */
    public long overdraft() {
        return overdraft;
    }

    /**
     * Ends the task's part: everything granted goes back to the task's memory, nothing is acquired after it. Leases
     * that are still open stay charged to the executor until they close. Before the task ends; may be called again.
     */
    @Override
    public void close() {
        closed = true;
        handBack(Long.MAX_VALUE);
    }

    private Lease lease(long bytes, long got) {
        granted.addAndGet(got);
        if (closed) {
            handBack(Long.MAX_VALUE);
        }
        peak = Math.max(peak, held.addAndGet(bytes));
        return new Lease(this, bytes, got);
    }

    void returned(long bytes, long grantedBytes) {
        held.addAndGet(-bytes);
        toReturn.addAndGet(grantedBytes);
        executor.refund(bytes);
    }
}
