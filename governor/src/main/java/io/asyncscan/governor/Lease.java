// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What one job holds of its task's and its executor's budget. Closed exactly once, by whoever drops the last reference
 * to the job's buffers; closing again does nothing. Any thread may close it.
 */
public final class Lease implements AutoCloseable {
    private final TaskBudget owner;
    private final long bytes;
    private final long granted;
    private final AtomicBoolean closed = new AtomicBoolean();

    Lease(TaskBudget owner, long bytes, long granted) {
        this.owner = owner;
        this.bytes = bytes;
        this.granted = granted;
    }

    /** Bytes this lease accounts for. */
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            owner.returned(bytes, granted);
        }
    }
}
