// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.Lease;
import io.asyncscan.reader.storage.ReadScope;
import java.util.function.BooleanSupplier;

/**
 * A request for bytes that another request has been asked for already, with a buffer of its own: nothing is written into one
 * buffer by two. Read by one thread; any may {@link #abort}.
 */
final class SecondRequest implements ReadScope {
    private final ScanCounters counters;
    private final Lease lease;
    private final BooleanSupplier stopped;
    private final Abort abort = new Abort();

    /** Of the thread that reads, and handed over with the monitor of the first request. */
    private byte[] bytes;

    private volatile boolean unwanted;

    /** Whether the store asked to slow down. Of the thread that reads. */
    private boolean throttled;

    /**
     * A request that has not been sent.
     *
     * @param lease accounts for its buffer; owned by the request from here on
     * @param stopped asked by the thread that reads and by the store's timer
     */
    SecondRequest(Lease lease, ScanCounters counters, BooleanSupplier stopped) {
        this.lease = lease;
        this.counters = counters;
        this.stopped = stopped;
    }

    /** Makes the buffer. Apart from the constructor, so that the lease has an owner if there is no memory. */
    void allocate(int length) {
        bytes = new byte[length];
    }

    /** What is read; complete when the read has ended well. */
    byte[] bytes() {
        return bytes;
    }

    boolean throttled() {
        return throttled;
    }

    /** Nobody needs the bytes: the first request has them, or nobody wants them at all. Does not wait for the read to end. */
    void abort() {
        unwanted = true;
        abort.giveUp();
    }

    /** The bytes are not needed any more, and nothing is written into them. */
    void drop() {
        lease.close();
    }

    @Override
    public boolean cancelled() {
        return unwanted || stopped.getAsBoolean();
    }

    @Override
    public void onCancel(Runnable action) {
        abort.onGiveUp(action);
    }

    @Override
    public void clearOnCancel() {
        abort.clear();
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
        throttled |= fault == IOFault.THROTTLED;
    }
}
