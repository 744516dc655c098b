// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.storage.ReadScope;

/**
 * The scope of a read that the task thread makes on the spot: counted like any other; an interrupt of the thread cancels it.
 *
 * @param counters where requests and bytes are counted
 */
public record TaskReadScope(ScanCounters counters) implements ReadScope {
    @Override
    public boolean cancelled() {
        return Thread.currentThread().isInterrupted();
    }

    @Override
    public void onCancel(Runnable abort) {
        // The reading thread is the one that would cancel.
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
        counters.retries.increment();
        if (fault == IOFault.THROTTLED) {
            counters.throttles.increment();
        }
    }
}
