// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.reader.storage.ReadCancelledException;
import io.asyncscan.reader.storage.ReadScope;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One range request of a fetch.
 *
 * <pre>
 *   NEW --start()--> RUNNING --> DONE
 *    |                  |
 *    +----cancel()------+--> (RUNNING: aborts the request; it still ends in DONE)
 *    +--> DONE
 * </pre>
 *
 * Whoever moves the task out of NEW runs it or, on cancel, completes it: a pool thread or the task thread that helps
 * itself. The fetch is told of the end exactly once, on the move to DONE.
 */
final class FetchTask implements ReadScope {
    private static final Logger LOG = LoggerFactory.getLogger(FetchTask.class);

    private enum State {
        NEW,
        RUNNING,
        DONE
    }

    private final Fetch fetch;
    private final Segment segment;
    private final int at;
    private final int length;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private volatile boolean cancelled;

    /** Asked by the thread that reads, which has set it. */
    private BooleanSupplier stopped = () -> false;

    /**
     * When the first byte came (by {@link System#nanoTime}), how long the body took then (ns), and whether the store
     * asked to slow down. Written and asked by the thread that reads; the time is 0 unless one attempt brought it all.
     */
    private long firstByteAt;

    private long bodyNanos;
    private boolean throttled;
    private boolean repeated;

    /** How to interrupt the read under way. Guarded by this object's monitor. */
    private Runnable abort;

    FetchTask(Fetch fetch, Segment segment, int at, int length) {
        this.fetch = fetch;
        this.segment = segment;
        this.at = at;
        this.length = length;
    }

    FetchJob job() {
        return fetch.job();
    }

    boolean isNew() {
        return state.get() == State.NEW;
    }

    /** Runs the request if nobody else has started it. Returns false if somebody has. */
    boolean runIfNew() {
        return runIfNew(() -> false);
    }

    /**
     * As {@link #runIfNew()}.
     *
     * @param stop a second reason, besides {@link #cancel}, to give the request up; asked by the thread that reads
     */
    boolean runIfNew(BooleanSupplier stop) {
        if (!state.compareAndSet(State.NEW, State.RUNNING)) {
            return false;
        }
        stopped = stop;
        Throwable failure = null;
        try {
            if (cancelled) {
                throw new ReadCancelledException("cancelled before it started");
            }
            FetchJob job = fetch.job();
            job.source().read(job.file(), segment.offset() + at, segment.bytes(), at, length, this);
            if (!repeated && firstByteAt != 0) {
                bodyNanos = System.nanoTime() - firstByteAt;
            }
        } catch (Throwable t) {
            // Whatever it is, the thread that waits for the job has to learn of it; errors are rethrown there.
            failure = t;
        }
        // This thread goes on to other reads, which an abort that comes late must not hit.
        clearOnCancel();
        state.set(State.DONE);
        fetch.taskEnded(failure);
        return true;
    }

    /** How long the body of a request that one attempt brought took (ns); 0 for any other. For the thread that ran it. */
    long bodyNanos() {
        return bodyNanos;
    }

    /** Whether the store asked to slow down. For the thread that ran it. */
    boolean throttled() {
        return throttled;
    }

    int length() {
        return length;
    }

    /** Gives the request up: one that has not started never will, a running one is aborted. Any thread. */
    void cancel() {
        cancelled = true;
        if (state.compareAndSet(State.NEW, State.DONE)) {
            fetch.taskEnded(new ReadCancelledException("cancelled before it started"));
            return;
        }
        Runnable running;
        synchronized (this) {
            running = abort;
            abort = null;
        }
        if (running != null) {
            try {
                running.run();
            } catch (RuntimeException e) {
                // The read then ends in its own time; what matters is that the others are cancelled, too.
                LOG.debug("cannot abort a read of {}", fetch.job(), e);
            }
        }
    }

    @Override
    public boolean cancelled() {
        return cancelled || stopped.getAsBoolean();
    }

    @Override
    public void onCancel(Runnable action) {
        boolean now;
        synchronized (this) {
            now = cancelled;
            abort = now ? null : action;
        }
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
        firstByteAt = 0;
        fetch.job().counters().requests.increment();
    }

    @Override
    public void received(int count) {
        if (firstByteAt == 0) {
            firstByteAt = System.nanoTime();
        }
        fetch.job().counters().bytesFetched.add(count);
    }

    @Override
    public void retried(IOFault fault) {
        fetch.job().counters().retries.increment();
        repeated = true;
        if (fault == IOFault.THROTTLED) {
            throttled = true;
            fetch.job().counters().throttles.increment();
        }
    }
}
