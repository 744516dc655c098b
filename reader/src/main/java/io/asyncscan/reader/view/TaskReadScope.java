// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.storage.ReadScope;
import java.util.function.BooleanSupplier;

/** The scope of a read that the current thread makes on the spot: an interrupt of it, or the end of its task, cancels it. */
public final class TaskReadScope implements ReadScope {
    private final Thread reader = Thread.currentThread();
    private final ScanCounters counters;
    private final BooleanSupplier stopped;

    /**
     * A scope for a read of the current thread.
     *
     * @param counters where requests and bytes are counted
     * @param stopped whether the task was asked to stop; asked by any thread
     */
    public TaskReadScope(ScanCounters counters, BooleanSupplier stopped) {
        this.counters = counters;
        this.stopped = stopped;
    }

    @Override
    public boolean cancelled() {
        return reader.isInterrupted() || stopped.getAsBoolean();
    }

    @Override
    public void onCancel(Runnable abort) {
        // Nobody cancels this scope by a call; who reads asks it now and then.
    }

    @Override
    public void clearOnCancel() {
        // Nothing was registered.
    }

    @Override
    public void requestSent() {
        counters.requests.increment();
    }

    @Override
    public void received(int count) {
        counters.bytesFetched.add(count);
    }

    @Override
    public void retried(IOFault fault) {
        counters.retried(fault);
    }
}
