// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The read-ahead memory of one task.
 *
 * <p>All of it is in the executor's account. Part of it the task's memory has granted; the rest is held <i>beside</i>,
 * in memory that is free by its owner's books:
 *
 * <ul>
 *   <li>Jobs that are ahead are granted, so that operators of the task can have their memory back, in a task whose
 *       operators hold memory. Spark divides its memory among the tasks that hold some. A task of which nothing but
 *       read-ahead held any would halve, with two cores, what a sort in the other task may have, and make it spill. So in
 *       such a task they are beside, and shrink when what is free does ({@link #excess}).
 *   <li>The job that is being decoded is always beside, as it is with Spark's own reader, which accounts for none of what it
 *       reads: otherwise operators would have less memory than without read-ahead.
 * </ul>
 *
 * <p>The task thread reserves, settles and balances; any thread may close a {@link Lease}. What other threads give back
 * reaches the task's memory at the next {@link #settle()}, because only the task thread may talk to {@link TaskMemory}.
 *
 * <p>A task may end, and {@link #close} be called, on another thread than the one that still pulls rows. No lock keeps
 * the two apart, because it would be held while memory is acquired, and taken again where Spark asks for memory back;
 * instead, whoever finds the budget closed after it acquired hands back at once.
 *
 * <p>Read-ahead takes only memory that is free: a reservation that would have to make somebody else give memory back is
 * refused. The job the task needs next is never refused ({@link #reserveHead}). Without that, two scans that feed one
 * join could wait for each other for ever.
 */
public final class TaskBudget implements AutoCloseable {
    private final ExecutorBudget executor;
    private final TaskMemory memory;
    private final long maxBytes;

    /** Bytes of open leases. Raised by the task thread only, so its check against {@link #maxBytes} holds. */
    private final AtomicLong held = new AtomicLong();

    /** Bytes of open leases that are not claimed. Raised before {@link #granted} is, which may not exceed it for long. */
    private final AtomicLong ahead = new AtomicLong();

    /** Bytes {@link #memory} granted and has not got back. Whoever lowers it releases as much. */
    private final AtomicLong granted = new AtomicLong();

    private long peak;

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
        if (closed || held.get() + bytes > maxBytes || !executor.tryCharge(bytes, memory::free)) {
            return Optional.empty();
        }
        held.addAndGet(bytes);
        ahead.addAndGet(bytes);
        if (bytes > 0 && memory.othersHold() && acquire(bytes) < bytes) {
            returned(bytes, true);
            settle();
            return Optional.empty();
        }
        peak = Math.max(peak, held.get());
        return Optional.of(new Lease(this, bytes, false));
    }

    /** Reserves {@code bytes} for the job the task needs now, whatever the budget. Task thread. */
    public Lease reserveHead(long bytes) {
        settle();
        executor.charge(bytes);
        held.addAndGet(bytes);
        peak = Math.max(peak, held.get());
        return new Lease(this, bytes, true);
    }

    /**
     * Hands back to the task's memory what it granted and is not ahead any more. Task thread, or the one on which memory
     * is asked back. Returns the bytes handed back.
     */
    public long settle() {
        return handBack(ahead.get());
    }

    /**
     * Brings what is granted in line with what operators of the task do: all that is ahead is granted, as far as there is
     * memory, while they hold memory; nothing is while they do not. Task thread.
     */
    public void balance() {
        if (!memory.othersHold()) {
            handBack(0);
            return;
        }
        settle();
        long beside = ahead.get() - granted.get();
        if (beside > 0 && !closed) {
            acquire(beside);
        }
    }

    /**
     * By how much what is ahead has to shrink (bytes), because what is held beside is not free any more: operators and
     * cached blocks have taken it. Task thread.
     */
    public long excess() {
        long beside = ahead.get() - granted.get();
        return beside <= 0 ? 0 : Math.min(beside, executor.lacking(memory.free()));
    }

    /** Bytes of open leases. */
    public long held() {
        return held.get();
    }

    /** Bytes of open leases that are not claimed: jobs that are ahead, and what they left in requests that still run. */
    public long ahead() {
        return ahead.get();
    }

    /** Most bytes that were held at once. */
    public long peak() {
        return peak;
    }

    /**
     * Ends the task's part: everything granted goes back to the task's memory, nothing is acquired after it. Leases
     * that are still open stay charged to the executor until they close. Before the task ends; may be called again.
     */
    @Override
    public void close() {
        closed = true;
        handBack(0);
    }

    private long acquire(long bytes) {
        long got = memory.acquire(bytes);
        granted.addAndGet(got);
        executor.granted(got);
        if (closed) {
            handBack(0);
        }
        return got;
    }

    /** Hands back what is granted above {@code most} bytes; returns how much that was. */
    private long handBack(long most) {
        long before = granted.getAndUpdate(now -> Math.min(now, most));
        long handed = before - Math.min(before, most);
        if (handed > 0) {
            executor.granted(-handed);
            memory.release(handed);
        }
        return handed;
    }

    void claimed(long bytes) {
        ahead.addAndGet(-bytes);
    }

    void returned(long bytes, boolean wasAhead) {
        held.addAndGet(-bytes);
        if (wasAhead) {
            ahead.addAndGet(-bytes);
        }
        executor.refund(bytes);
    }
}
