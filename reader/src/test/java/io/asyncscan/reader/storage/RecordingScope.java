// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A scope that remembers what it was told, and that a test cancels. */
final class RecordingScope implements ReadScope {
    final AtomicInteger requests = new AtomicInteger();
    final AtomicLong received = new AtomicLong();
    final List<IOFault> retries = new CopyOnWriteArrayList<>();
    private final CountDownLatch registered = new CountDownLatch(1);
    private boolean cancelled;
    private Runnable abort;

    @Override
    public synchronized boolean cancelled() {
        return cancelled;
    }

    @Override
    public void onCancel(Runnable action) {
        boolean now;
        synchronized (this) {
            now = cancelled;
            abort = now ? null : action;
        }
        registered.countDown();
        if (now) {
            action.run();
        }
    }

    @Override
    public synchronized void clearOnCancel() {
        abort = null;
    }

    @Override
    public void requestSent() {
        requests.incrementAndGet();
    }

    @Override
    public void received(int count) {
        received.addAndGet(count);
    }

    @Override
    public void retried(IOFault fault) {
        retries.add(fault);
    }

    void cancel() {
        Runnable action;
        synchronized (this) {
            cancelled = true;
            action = abort;
            abort = null;
        }
        if (action != null) {
            action.run();
        }
    }

    synchronized boolean hasOnCancel() {
        return abort != null;
    }

    void awaitOnCancel() throws InterruptedException {
        if (!registered.await(20, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody registered onCancel within 20 s");
        }
    }
}
