// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.reader.storage.ReadCancelledException;
import io.asyncscan.reader.storage.ReadScope;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
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

    /** How many bytes of a body tell how fast it comes: enough for a socket's buffer to matter little. */
    static final int PIECE = 1 << 20;

    private final Fetch fetch;
    private final Segment segment;
    private final int at;
    private final int length;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private volatile boolean cancelled;

    /** Asked by the thread that reads, which has set it. */
    private BooleanSupplier stopped = () -> false;

    /** Told by the thread that reads, which has set it. */
    private Consumer<FetchTask> progress = task -> {};

    /**
     * The piece of the body that is coming: when its first byte came (by {@link System#nanoTime}; 0 before the first byte of
     * an attempt), its bytes so far, and how long they took (ns). Written and asked by the thread that reads.
     */
    private long pieceFrom;

    private int pieceBytes;
    private long pieceNanos;

    /** Bytes of the request that have come, by whatever attempt. Of the thread that reads. */
    private int received;

    /** Whether one attempt brought all, and whether the store asked to slow down. Of the thread that reads. */
    private boolean atOnce;

    private boolean repeated;
    private boolean throttled;

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
     * @param watcher told of every piece of {@link #PIECE} bytes that has come and is not the last, on this thread
     */
    boolean runWatched(Consumer<FetchTask> watcher) {
        return run(() -> false, watcher);
    }

    /**
     * As {@link #runIfNew()}.
     *
     * @param stop a second reason, besides {@link #cancel}, to give the request up; asked by the thread that reads
     */
    boolean runIfNew(BooleanSupplier stop) {
        return run(stop, task -> {});
    }

    private boolean run(BooleanSupplier stop, Consumer<FetchTask> watcher) {
        if (!state.compareAndSet(State.NEW, State.RUNNING)) {
            return false;
        }
        stopped = stop;
        progress = watcher;
        Throwable failure = null;
        try {
            if (cancelled) {
                throw new ReadCancelledException("cancelled before it started");
            }
            FetchJob job = fetch.job();
            job.source().read(job.file(), segment.offset() + at, segment.bytes(), at, length, this);
            if (pieceFrom != 0) {
                pieceNanos = System.nanoTime() - pieceFrom;
            }
            atOnce = !repeated && pieceFrom != 0;
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

    /** Whether one attempt brought the whole body. For the thread that ran it. */
    boolean atOnce() {
        return atOnce;
    }

    /** Bytes of the piece that came last. For the thread that ran it. */
    int pieceBytes() {
        return pieceBytes;
    }

    /** How long that piece took (ns), from its first byte on. For the thread that ran it. */
    long pieceNanos() {
        return pieceNanos;
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
        pieceFrom = 0;
        fetch.job().counters().requests.increment();
    }

    @Override
    public void received(int count) {
        fetch.job().counters().bytesFetched.add(count);
        received += count;
        if (pieceFrom == 0) {
            pieceFrom = System.nanoTime();
            pieceBytes = 0;
        }
        pieceBytes += count;
        if (pieceBytes >= PIECE && received < length) {
            pieceNanos = System.nanoTime() - pieceFrom;
            progress.accept(this);
            pieceFrom += pieceNanos;
            pieceBytes = 0;
        }
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
