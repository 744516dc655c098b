// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.Lease;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ReadCancelledException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * One time a job's bytes are fetched: its requests, their countdown, the buffers and the lease that accounts for them.
 *
 * <p>The buffers are dropped and the lease is closed when the last holder is gone. Holders are the job (until it
 * releases the fetch) and every request that has not ended.
 */
public final class Fetch {
    private final FetchJob job;
    private final Lease lease;
    private final List<Segment> segments;
    private final List<FetchTask> tasks;
    private final CountDownLatch done;

    /** Requests that have not ended. The one that brings it to zero completes the fetch. */
    private final AtomicInteger remaining;

    /** The job (until release) and every request that has not ended; at zero the memory goes back, once. */
    private final AtomicInteger holders;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Whether a read was given up and its bytes came by another one. Set before that request lets go. */
    private volatile boolean abandoned;

    Fetch(FetchJob job, Lease lease) {
        this.job = job;
        this.lease = lease;
        segments = new ArrayList<>(job.buffers().size());
        for (ByteRange buffer : job.buffers()) {
            segments.add(new Segment(buffer.offset(), Math.toIntExact(buffer.length()), job.pool()));
        }
        tasks = new ArrayList<>(job.ranges().size());
        int segment = 0;
        for (ByteRange range : job.ranges()) {
            while (range.offset() >= segments.get(segment).end()) {
                segment++;
            }
            Segment target = segments.get(segment);
            int at = Math.toIntExact(range.offset() - target.offset());
            tasks.add(new FetchTask(this, target, at, Math.toIntExact(range.length())));
        }
        remaining = new AtomicInteger(tasks.size());
        holders = new AtomicInteger(tasks.size() + 1);
        done = new CountDownLatch(tasks.isEmpty() ? 0 : 1);
    }

    FetchJob job() {
        return job;
    }

    List<FetchTask> tasks() {
        return tasks;
    }

    /** The fetched bytes; complete once {@link #isDone()} and {@link #check()} say so. */
    public List<Segment> segments() {
        return segments;
    }

    /** True once all requests have ended, or one has failed. */
    public boolean isDone() {
        return done.getCount() == 0;
    }

    /** Runs, on this thread, the requests nobody has started, until {@code stop} says that nobody wants the bytes. */
    void help(BooleanSupplier stop) {
        for (FetchTask task : tasks) {
            if (stop.getAsBoolean()) {
                return;
            }
            task.runIfNew(stop);
        }
    }

    /** A request that is out and silent for so long that {@code hedging} admits a second one; null if there is none. */
    FetchTask late(Hedging hedging) {
        for (FetchTask task : tasks) {
            if (task.isLate(hedging)) {
                return task;
            }
        }
        return null;
    }

    /** A read was aborted, and all is well because another one brought its bytes. Called before {@link #taskEnded}. */
    void abandonedRead() {
        abandoned = true;
    }

    /** Waits up to {@code millis} for {@link #isDone}. */
    boolean await(long millis) throws InterruptedException {
        return done.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Throws what the first failing request ended with, if one failed. */
    public void check() throws IOException {
        Throwable cause = failure.get();
        if (cause instanceof IOException io) {
            throw io;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause != null) {
            throw new IOException(
                    "cannot read " + job.ranges() + " of " + job.file().path() + ": " + cause, cause);
        }
    }

    /** Called by each request once, when it has ended. */
    void taskEnded(Throwable cause) {
        if (cause != null && failure.compareAndSet(null, cause) && !(cause instanceof ReadCancelledException)) {
            // The fetch has failed: nobody waits for what its other requests would bring.
            done.countDown();
            tasks.forEach(FetchTask::cancel);
        }
        // Before the countdown, so that whoever releases a complete fetch frees its memory with that.
        letGo();
        if (remaining.decrementAndGet() == 0) {
            done.countDown();
        }
    }

    /** The task needs the bytes now: they are not ahead any more. Task thread. */
    void claim() {
        lease.claim();
    }

    /** The job needs the bytes no more. Returns true if all memory is free now. */
    boolean release() {
        tasks.forEach(FetchTask::cancel);
        return letGo();
    }

    private boolean letGo() {
        if (holders.decrementAndGet() > 0) {
            return false;
        }
        // A store may still write into what it was given for a read that failed or was cancelled.
        boolean clean = failure.get() == null && !abandoned;
        segments.forEach(segment -> segment.drop(clean));
        lease.close();
        return true;
    }
}
