// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The account of all read-ahead of one executor. Thread-safe.
 *
 * <p>Bytes are counted from before their fetch starts until their buffer is gone, also when the task that wanted them
 * has ended: a late fetch stays accounted here until it returns. Part of them is {@linkplain #granted granted}, that is,
 * the executor's memory manager counts them too; the rest is held beside its account, in memory that is free by its books
 * (see {@link TaskBudget}). So what nobody but read-ahead holds is what is free, and what was granted.
 */
public final class ExecutorBudget {
    private final double fraction;

    /** Bytes of the heap that are left beside all that lives, read-ahead among it. */
    private final LongSupplier heapRoom;

    /** Bytes charged. Never negative: every charge is refunded exactly once, by the lease that made it. */
    private final AtomicLong inUse = new AtomicLong();

    /**
     * Bytes of them that the memory manager knows of. Raised after it has granted, lowered before it gets back: what is
     * free and this are never both too large.
     */
    private final AtomicLong granted = new AtomicLong();

    private final AtomicLong peak = new AtomicLong();

    /**
     * A budget for one executor, in the heap of this JVM.
     *
     * @param fraction most of the memory that is free or held by read-ahead that read-ahead may hold, in (0, 1]
     */
    public ExecutorBudget(double fraction) {
        this(fraction, new HeapRoom()::bytes);
    }

    ExecutorBudget(double fraction, LongSupplier heapRoom) {
        if (!(fraction > 0 && fraction <= 1)) {
            throw new IllegalArgumentException("fraction has to be in (0, 1]: " + fraction);
        }
        this.fraction = fraction;
        this.heapRoom = heapRoom;
    }

    /**
     * Most bytes that all read-ahead may hold now: its share of what is free by the manager's books, and also of what is free
     * in the heap, where that is less. What lives in the heap is known as of its last collection. So what read-ahead has
     * taken since then is in what is free as well, and this too large by its share of that until the next one.
     *
     * @param free asked for the bytes of the executor's memory that nobody holds, by its manager's books
     */
    public long allowance(LongSupplier free) {
        // The smaller of before and after: what is granted or given back in between must not count twice.
        long before = granted.get();
        long now = free.getAsLong();
        long byBooks = now + Math.min(before, granted.get());
        // What read-ahead holds lives, so it is not in the room that is left.
        long inHeap = heapRoom.getAsLong() + inUse.get();
        return (long) (fraction * (double) Math.min(byBooks, inHeap));
    }

    /** Charges {@code bytes} if all read-ahead stays within its {@link #allowance}. */
    boolean tryCharge(long bytes, LongSupplier free) {
        while (true) {
            long now = inUse.get();
            if (now + bytes > allowance(free)) {
                return false;
            }
            if (inUse.compareAndSet(now, now + bytes)) {
                notePeak(now + bytes);
                return true;
            }
        }
    }

    /** Charges {@code bytes} in any case: the job a task needs next always proceeds. */
    void charge(long bytes) {
        notePeak(inUse.addAndGet(bytes));
    }

    void refund(long bytes) {
        long now = inUse.addAndGet(-bytes);
        if (now < 0) {
            throw new IllegalStateException("refunded more than was charged: " + now);
        }
    }

    /** The memory manager has granted {@code bytes}, or is about to get back {@code -bytes}. */
    void granted(long bytes) {
        granted.addAndGet(bytes);
    }

    /** By how much what is held beside the memory manager's account exceeds what is free by its books (bytes). */
    long lacking(long free) {
        return Math.max(0, inUse.get() - granted.get() - free);
    }

    /** Bytes charged now. */
    public long inUse() {
        return inUse.get();
    }

    /** Most bytes that were ever charged at once. */
    public long peak() {
        return peak.get();
    }

    private void notePeak(long now) {
        peak.accumulateAndGet(now, Math::max);
    }
}
