// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.TaskMemory;

/** The memory of one task: so much and no more. Checks that it is never given back what it did not grant. */
public final class FakeMemory implements TaskMemory {
    private long size;
    private long used;
    private boolean othersHold = true;
    private Runnable onAcquire = () -> {};

    /** Memory of {@code size} bytes. */
    public FakeMemory(long size) {
        this.size = size;
    }

    /** Changes how much there is; what is used stays used. */
    public synchronized void resize(long bytes) {
        size = bytes;
    }

    /** Whether operators of the task hold memory; they do from the start. */
    public synchronized void othersHold(boolean some) {
        othersHold = some;
    }

    /** Something to do within each request for memory, as Spark does when it makes others give back. */
    public synchronized void onAcquire(Runnable action) {
        onAcquire = action;
    }

    /** Bytes granted and not given back. */
    public synchronized long used() {
        return used;
    }

    @Override
    public synchronized long free() {
        return Math.max(0, size - used);
    }

    @Override
    public synchronized boolean othersHold() {
        return othersHold;
    }

    @Override
    public long acquire(long bytes) {
        Runnable action;
        synchronized (this) {
            action = onAcquire;
        }
        action.run();
        synchronized (this) {
            long got = Math.min(bytes, free());
            used += got;
            return got;
        }
    }

    @Override
    public synchronized void release(long bytes) {
        used -= bytes;
        if (used < 0) {
            throw new IllegalStateException("given back more than was granted: " + used);
        }
    }
}
