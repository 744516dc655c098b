// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.Lease;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.reader.storage.ReadCancelledException;
import io.asyncscan.reader.storage.ThreadBytesRead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The jobs of one task that are fetched before they are needed.
 *
 * <p>There is no producer: the task thread tops the queue up when it claims a job and between batches. It reserves
 * memory first and hands requests to the pool then, so pool threads never wait for memory. Claiming frees the slot at
 * once and tops up before decoding starts. A job that is claimed while its requests are pending is helped: the task
 * thread runs those that nobody has started, then waits. One that keeps it waiting for too long it sends a second time,
 * see {@link Hedging}.
 *
 * <p>The job that is claimed always proceeds, whatever budget and depth say.
 *
 * <p>Jobs ahead are dropped, newest first, when an operator of the task asks for their memory, and when others have taken
 * what was free. They are fetched again when they are claimed.
 *
 * <p>Threads: everything is called by the task thread, which is whichever thread pulls rows; {@link #close} may come
 * from a task completion listener on another one. {@link #giveBack} is called by Spark on the thread that acquires
 * memory for the task, possibly from within {@link #topUp}; so no lock is held around reservations, and the jobs ahead
 * are guarded by a lock of their own that is held for list operations only. A job is in that list or claimed, never both:
 * what is claimed is not given back.
 */
public final class ReadAheadQueue implements AutoCloseable {
    /**
     * How many top-ups pass between two looks at what operators and the cache hold, besides one with each claim. A look
     * takes locks that all tasks of an executor share. With rows, which are topped up behind every 64th, it comes every 512
     * rows or some 50 µs at least; with batches of 4096 rows, several times in a row group.
     */
    static final int LOOK_EVERY = 8;

    /** How often a waiting task looks whether it was killed (ms). */
    private static final long KILL_CHECK_MILLIS = 50;

    private final AsyncPool.Lane lane;
    private final TaskBudget budget;
    private final JobSequence sequence;
    private final DepthController depth;

    /** Null if no request is sent a second time. */
    private final Hedging hedging;

    private final ScanCounters counters;
    private final BooleanSupplier killed;

    /**
     * Jobs that are admitted and not claimed, in plan order. Guarded by itself. After {@link #closed} is set nothing is
     * added.
     */
    private final ArrayDeque<FetchJob> ahead = new ArrayDeque<>();

    /** Whether the last job that was to be read ahead was refused: asking again and again is one denial. Task thread. */
    private boolean denied;

    /** Jobs dropped so far. */
    private final AtomicLong drops = new AtomicLong();

    /** Top-ups since the last look at what others hold. Task thread. */
    private int unlooked;

    private volatile boolean closed;

    /**
     * A queue for one task.
     *
     * @param readAheadDepth -1, 0 or N, as the option of that name
     * @param hedge whether a request that the task waits for may be sent a second time
     * @param killed whether the task was asked to stop; looked at while waiting
     */
    public ReadAheadQueue(
            AsyncPool pool,
            TaskBudget budget,
            JobSequence sequence,
            int readAheadDepth,
            boolean hedge,
            ScanCounters counters,
            BooleanSupplier killed) {
        this.lane = pool.open();
        this.budget = budget;
        this.sequence = sequence;
        this.depth = new DepthController(readAheadDepth);
        this.hedging = hedge ? pool.hedging() : null;
        this.counters = counters;
        this.killed = killed;
    }

    /** Admits jobs as far as depth and memory allow; gives up jobs whose memory is not free any more. */
    public void topUp() throws IOException {
        if (++unlooked >= LOOK_EVERY) {
            look();
        }
        // Whoever makes us drop a job meanwhile wants the memory: it is not taken again at once.
        long before = drops.get();
        while (!closed && drops.get() == before && hasRoom()) {
            FetchJob job = sequence.peek();
            if (job == null) {
                return;
            }
            Optional<Lease> lease = budget.tryReserve(job.bytes());
            if (lease.isEmpty()) {
                if (!denied) {
                    denied = true;
                    counters.denials.increment();
                }
                return;
            }
            denied = false;
            counters.bytesGranted.add(job.bytes());
            admitAhead(job, lease.get());
        }
    }

    private boolean hasRoom() {
        synchronized (ahead) {
            return depth.admits(ahead.size(), bytesAhead());
        }
    }

    private long bytesAhead() {
        synchronized (ahead) {
            long bytes = 0;
            for (FetchJob job : ahead) {
                bytes += job.bytes();
            }
            return bytes;
        }
    }

    /**
     * Follows what operators and the cache have taken or given back since the last look. Jobs are dropped where what they
     * hold is not free any more; requests of those that were dropped before and are still ending go towards that.
     */
    private void look() {
        unlooked = 0;
        if (closed) {
            return;
        }
        budget.balance();
        long ending = budget.ahead() - bytesAhead();
        long excess = budget.excess() - ending;
        while (excess > 0) {
            FetchJob dropped = dropNewest();
            if (dropped == null) {
                return;
            }
            excess -= dropped.bytes();
        }
    }

    /**
     * Makes sure that all bytes of {@code job} are there: admits it if it is not, tops up behind it, helps and waits.
     *
     * @throws IOException what the fetch failed with; the job is released then
     */
    public void claim(FetchJob job) throws IOException {
        if (closed) {
            throw ended(job);
        }
        Fetch fetch;
        int jobsAhead;
        synchronized (ahead) {
            ahead.remove(job);
            jobsAhead = ahead.size();
            fetch = job.fetch();
        }
        lane.position(job.ordinal());
        if (fetch == null) {
            fetch = admitHead(job);
        } else {
            fetch.claim();
        }
        depth.claimed(!fetch.isDone(), lane.isQueueing(), jobsAhead);
        look();
        topUp();
        if (!fetch.isDone()) {
            long start = System.nanoTime();
            try {
                readHere(fetch::help);
                await(fetch);
            } finally {
                counters.stallNanos.add(System.nanoTime() - start);
            }
        }
        try {
            fetch.check();
        } catch (IOException | RuntimeException | Error e) {
            job.release();
            throw e;
        }
    }

    /** The bytes of {@code job} are not needed any more: they did their part. */
    public void done(FetchJob job) {
        synchronized (ahead) {
            ahead.remove(job);
        }
        job.finish();
    }

    /** Gives up a job that will not be decoded; what it fetched was in vain. */
    public void abandon(FetchJob job) {
        synchronized (ahead) {
            ahead.remove(job);
        }
        if (job.fetch() != null) {
            counters.bytesNeverDecoded.add(job.requested());
        }
        job.finish();
    }

    /**
     * Drops unclaimed jobs, newest first, until {@code bytes} are free or none is left. Waits for nothing: a request
     * that is running is aborted and its bytes count only when it has ended. Dropped jobs are fetched again when they
     * are claimed.
     *
     * @return bytes handed back to the task's memory
     */
    public long giveBack(long bytes) {
        long freed = budget.settle();
        while (freed < bytes && dropNewest() != null) {
            freed += budget.settle();
        }
        return freed;
    }

    /** Drops the newest unclaimed job and returns it; null if there is none. */
    private FetchJob dropNewest() {
        FetchJob last;
        Fetch fetch;
        synchronized (ahead) {
            last = ahead.pollLast();
            fetch = last == null ? null : last.detach();
        }
        if (last == null) {
            return null;
        }
        drops.incrementAndGet();
        counters.jobsDropped.increment();
        counters.bytesNeverDecoded.add(last.requested());
        if (fetch != null) {
            fetch.release();
        }
        sequence.dropped();
        return last;
    }

    /** Whether the task has ended or was asked to. Any thread. */
    public boolean isStopped() {
        return closed || killed.getAsBoolean();
    }

    /** Claims in a row, up to the last one, that found their job complete. Task thread. */
    public int calm() {
        return depth.calm();
    }

    /** Jobs ahead of the claimed one. */
    public int size() {
        synchronized (ahead) {
            return ahead.size();
        }
    }

    /**
     * Stops: nothing is admitted any more, queued requests never start, running ones are aborted. Waits for nothing;
     * bytes of requests that are still ending stay in the executor's account until they have. Jobs that are claimed
     * are released by whoever claimed them.
     */
    @Override
    public void close() {
        closed = true;
        while (true) {
            FetchJob job;
            synchronized (ahead) {
                job = ahead.poll();
            }
            if (job == null) {
                break;
            }
            counters.bytesNeverDecoded.add(job.requested());
            job.release();
        }
        lane.close();
    }

    private void admitAhead(FetchJob job, Lease lease) throws IOException {
        Fetch fetch = job.admit(lease);
        synchronized (ahead) {
            if (closed) {
                job.release();
                return;
            }
            ahead.add(job);
        }
        counters.depthReached.accumulate(size());
        submit(fetch);
    }

    private Fetch admitHead(FetchJob job) throws IOException {
        Fetch fetch = job.admit(budget.reserveHead(job.bytes()));
        if (closed) {
            // Whoever closed may have looked at the job before it was admitted.
            job.release();
            throw ended(job);
        }
        submit(fetch);
        return fetch;
    }

    private void submit(Fetch fetch) {
        counters.peakBytes.accumulate(budget.held());
        lane.submit(fetch);
    }

    private static ReadCancelledException ended(FetchJob job) {
        return new ReadCancelledException("the task that reads " + job.file().path() + " has ended");
    }

    /** Sends the request a second time, on this thread, that has kept the task waiting for too long. */
    private void hedge(Fetch fetch) {
        FetchTask late = hedging == null ? null : fetch.late(hedging);
        if (late == null) {
            return;
        }
        readHere(stop -> {
            if (late.hedge(budget.reserveHead(late.length()), stop)) {
                hedging.throttled();
            }
        });
    }

    /** Lets this thread read, until the reason to stop that {@code reads} is given holds; it may be asked on any thread. */
    private void readHere(Consumer<BooleanSupplier> reads) {
        long before = ThreadBytesRead.now();
        Thread reader = Thread.currentThread();
        reads.accept(() -> isStopped() || reader.isInterrupted());
        counters.bytesCountedByHadoop.add(ThreadBytesRead.now() - before);
    }

    private void await(Fetch fetch) throws IOException {
        try {
            while (!fetch.await(KILL_CHECK_MILLIS)) {
                if (closed || killed.getAsBoolean()) {
                    throw new ReadCancelledException("the task that reads "
                            + fetch.job().file().path() + " was stopped while it waited for "
                            + fetch.job().ranges());
                }
                hedge(fetch);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException stopped = new InterruptedIOException("the task that reads "
                    + fetch.job().file().path() + " was interrupted while it waited for "
                    + fetch.job().ranges());
            stopped.initCause(e);
            throw stopped;
        }
    }
}
