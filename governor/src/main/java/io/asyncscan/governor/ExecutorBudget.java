// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The account of all read-ahead of one executor. Thread-safe.
 *
 * <p>Bytes are counted from before their fetch starts until their buffer is gone, also when the task that wanted them
 * has ended: a late fetch stays accounted here until it returns.
 */
public final class ExecutorBudget {
    private final double fraction;

    /** Bytes charged. Never negative: every charge is refunded exactly once, by the lease that made it. */
    private final AtomicLong inUse = new AtomicLong();

    private final AtomicLong peak = new AtomicLong();

    /**
     * A budget for one executor.
     *
     * @param fraction most of the memory that is free or held by read-ahead that read-ahead may hold, in (0, 1]
     */
    public ExecutorBudget(double fraction) {
        if (!(fraction > 0 && fraction <= 1)) {
            throw new IllegalArgumentException("fraction has to be in (0, 1]: " + fraction);
        }
        this.fraction = fraction;
    }

    /**
     * Charges {@code bytes} if all read-ahead stays within its share.
     *
     * @param free bytes of the executor's memory that nobody holds now
     */
    boolean tryCharge(long bytes, long free) {
        while (true) {
            long now = inUse.get();
            if (now + bytes > fraction * (now + free)) {
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
