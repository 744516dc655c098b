// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.Lease;
import io.asyncscan.reader.storage.ReadCancelledException;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;
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
 *
 * <p>While it is RUNNING another thread may send a {@linkplain #hedge second request}. If that one has all the bytes first, the
 * first one is aborted, and the thread that ran it copies them when its own read has ended: so nobody else writes into the segment
 * meanwhile. If the first one ends first, the second one is aborted.
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

    /** When the last attempt was sent, by {@link System#nanoTime}, and how long the first one took to its first byte (ns). */
    private long sentAt;

    private long firstByteNanos;

    /** Since when the store has been silent; 0 while no request is out. Written by the thread that reads. */
    private volatile long silentSince;

    /** Whether part of the body has come. Written by the thread that reads. */
    private volatile boolean answered;

    /** The second request, from when it is to be sent until the first one has ended. Guarded by this object's monitor. */
    private SecondRequest second;

    /** Whether {@link #second} has all the bytes: the first one is not wanted any more. Written under the monitor. */
    private volatile boolean overtaken;

    /** Whether a second request was sent once. Written under the monitor. */
    private volatile boolean hedged;

    /** Whether the first one has ended. Guarded by the monitor. */
    private boolean ended;

    private final Abort abort = new Abort();

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
        silentSince = 0;
        // This thread goes on to other reads, which an abort that comes late must not hit.
        clearOnCancel();
        failure = end(failure);
        state.set(State.DONE);
        fetch.taskEnded(failure);
        return true;
    }

    /** Takes the bytes of the second request if it was first, and ends it if not. Returns the failure that is left. */
    private Throwable end(Throwable failure) {
        SecondRequest other;
        synchronized (this) {
            ended = true;
            other = second;
            second = null;
        }
        if (other == null) {
            return failure;
        }
        if (!overtaken) {
            other.abort();
            return failure;
        }
        Throwable left = failure;
        if (left instanceof Exception && !cancelled) {
            System.arraycopy(other.bytes(), 0, segment.bytes(), at, length);
            fetch.job().counters().hedgesWon.increment();
            fetch.abandonedRead();
            left = null;
        }
        other.drop();
        return left;
    }

    /**
     * Whether the request is out and has been silent for so long that it is worth another one, which is then counted. Never
     * of one that had its second request.
     */
    boolean isLate(Hedging hedging) {
        long since = silentSince;
        return since != 0 && !hedged && hedging.admits(fetch.job().store(), System.nanoTime() - since, answered);
    }

    /**
     * Requests the same bytes once more and returns when that has ended; if it brought them first, the request under way is
     * aborted. Fails with nothing: whether there are bytes, the request under way says. Does nothing if that one has ended, or was
     * hedged before.
     *
     * @param lease accounts for the second buffer, of {@link #length()} bytes; closed when it is gone
     * @param stop a reason to give it up; asked by this thread and by the store's timer
     * @return whether the store asked to slow down
     */
    boolean hedge(Lease lease, BooleanSupplier stop) {
        SecondRequest mine = new SecondRequest(lease, fetch.job().counters(), stop);
        synchronized (this) {
            if (ended || hedged || cancelled || state.get() != State.RUNNING) {
                mine.drop();
                return false;
            }
            hedged = true;
            second = mine;
        }
        boolean complete = false;
        try {
            mine.allocate(length);
            FetchJob job = fetch.job();
            job.source().read(job.file(), segment.offset() + at, mine.bytes(), 0, length, mine);
            complete = true;
        } catch (IOException | RuntimeException e) {
            LOG.debug("a second request of {} brought nothing", fetch.job(), e);
        } finally {
            mine.clearOnCancel();
            settle(mine, complete);
        }
        return mine.throttled();
    }

    /** The second request has ended: hands its bytes over if the first one has not ended, or drops them. */
    private void settle(SecondRequest mine, boolean complete) {
        boolean first;
        synchronized (this) {
            first = complete && !ended && !cancelled;
            overtaken = first;
            if (!first && !ended) {
                second = null;
            }
        }
        if (first) {
            abort.giveUp();
        } else {
            mine.drop();
        }
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

    /** How long the first attempt took to its first byte (ns); 0 if it brought none. For the thread that ran it. */
    long firstByteNanos() {
        return firstByteNanos;
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
        SecondRequest other;
        synchronized (this) {
            other = second;
        }
        if (other != null) {
            other.abort();
        }
        abort.giveUp();
    }

    @Override
    public boolean cancelled() {
        return cancelled || overtaken || stopped.getAsBoolean();
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
        pieceFrom = 0;
        answered = false;
        sentAt = System.nanoTime();
        silentSince = sentAt;
        fetch.job().counters().requests.increment();
    }

    @Override
    public void received(int count) {
        fetch.job().counters().bytesFetched.add(count);
        received += count;
        long now = System.nanoTime();
        silentSince = now;
        if (pieceFrom == 0) {
            pieceFrom = now;
            pieceBytes = 0;
            answered = true;
            if (!repeated) {
                firstByteNanos = now - sentAt;
            }
        }
        pieceBytes += count;
        if (pieceBytes >= PIECE && received < length) {
            pieceNanos = now - pieceFrom;
            progress.accept(this);
            pieceFrom += pieceNanos;
            pieceBytes = 0;
        }
    }

    @Override
    public void retried(IOFault fault) {
        fetch.job().counters().retried(fault);
        // A pause comes first, and the next attempt is a request of its own.
        silentSince = 0;
        repeated = true;
        throttled |= fault == IOFault.THROTTLED;
    }
}
