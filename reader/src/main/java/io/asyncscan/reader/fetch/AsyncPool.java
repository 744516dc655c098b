// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.InFlightLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The I/O threads of an executor: one pool for all tasks.
 *
 * <p>Each queue has a {@link Lane}. A free thread takes the request with the earliest deadline: the one whose job is
 * the fewest steps ahead of what its task is decoding; among equals the lane that was served longest ago. So every
 * task's next job comes before any task's distant one.
 *
 * <p>Threads are daemons, start on demand, end after they were idle for a while, and run requests and nothing else:
 * they never wait for memory, for another request or for a lock that is held during I/O. The pool works with one
 * thread, and a task still makes progress with none, because it runs the requests of the job it needs itself.
 */
public final class AsyncPool {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncPool.class);

    private static final AtomicInteger POOLS = new AtomicInteger();

    private final int maxThreads;
    private final long idleNanos;
    private final ThreadFactory factory;
    private final Runnable whenIdle;

    /** Learns from every request; asked by tasks that wait for one. */
    private final Hedging hedging = new Hedging();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();

    /** How many requests run at once. Guarded by {@link #lock}. */
    private final InFlightLimit limit;

    /** Open lanes. Guarded by {@link #lock}. */
    private final List<Lane> lanes = new ArrayList<>();

    /**
     * Threads that exist, those of them that wait for work, those that run a request, and the length of those requests
     * (bytes). Guarded by {@link #lock}; idle and running together never exceed threads, and each request that runs was
     * admitted by the limit when it was taken.
     */
    private int threads;

    private int idle;
    private int running;
    private long underWay;

    /** Counts services, to find the lane that was served longest ago. Guarded by {@link #lock}. */
    private long services;

    /**
     * A pool that starts no thread yet.
     *
     * @param maxThreads most threads, at least 1
     * @param idle how long a thread waits for work before it ends
     */
    public AsyncPool(int maxThreads, Duration idle) {
        this(maxThreads, maxThreads, idle, () -> {});
    }

    /**
     * As {@link #AsyncPool(int, Duration)}.
     *
     * @param sure requests that may run at once whatever the network is like; at least 1
     * @param whenIdle run by the last thread when it ends; must not block
     */
    AsyncPool(int maxThreads, int sure, Duration idle, Runnable whenIdle) {
        if (maxThreads < 1) {
            throw new IllegalArgumentException("a pool needs at least one thread: " + maxThreads);
        }
        this.maxThreads = maxThreads;
        this.limit = new InFlightLimit(Math.min(sure, maxThreads), maxThreads);
        this.idleNanos = idle.toNanos();
        this.whenIdle = whenIdle;
        AtomicInteger numbers = new AtomicInteger();
        int pool = POOLS.incrementAndGet();
        this.factory = run -> {
            String suffix = pool == 1 ? "" : "-p" + pool;
            Thread thread = new Thread(run, "asyncscan-fetch-" + numbers.incrementAndGet() + suffix);
            thread.setDaemon(true);
            // Not the class loader of the task that happened to come first: it would live as long as the pool.
            thread.setContextClassLoader(AsyncPool.class.getClassLoader());
            return thread;
        };
    }

    /** Most threads of this pool. */
    public int maxThreads() {
        return maxThreads;
    }

    /** Threads that exist now. */
    public int threads() {
        lock.lock();
        try {
            return threads;
        } finally {
            lock.unlock();
        }
    }

    /** Threads that run a request now. */
    public int busy() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    /** Requests that may run now, however long they are: what the network turned out to take. */
    public int limit() {
        lock.lock();
        try {
            return limit.limit();
        } finally {
            lock.unlock();
        }
    }

    /** Decides which requests of this executor are sent a second time. */
    Hedging hedging() {
        return hedging;
    }

    /** A lane for one queue; the queue closes it. */
    public Lane open() {
        Lane lane = new Lane();
        lock.lock();
        try {
            lanes.add(lane);
        } finally {
            lock.unlock();
        }
        return lane;
    }

    /** Requests of one queue, in the order of their jobs. */
    public final class Lane implements AutoCloseable {
        private final PriorityQueue<FetchTask> pending =
                new PriorityQueue<>(Comparator.comparingLong(task -> task.job().ordinal()));
        private long position;
        private long lastServed;

        private Lane() {}

        /** Adds the requests of {@code fetch}. */
        void submit(Fetch fetch) {
            lock.lock();
            try {
                pending.addAll(fetch.tasks());
                callThread();
            } finally {
                lock.unlock();
            }
        }

        /** Whether requests of this lane wait for others to end. */
        boolean isQueueing() {
            lock.lock();
            try {
                return distance() != Long.MAX_VALUE;
            } finally {
                lock.unlock();
            }
        }

        /** The job with this ordinal is being decoded; deadlines count from it. */
        void position(long ordinal) {
            lock.lock();
            try {
                position = ordinal;
            } finally {
                lock.unlock();
            }
        }

        /** Forgets what has not started; the queue has cancelled it. */
        @Override
        public void close() {
            lock.lock();
            try {
                pending.clear();
                lanes.remove(this);
            } finally {
                lock.unlock();
            }
        }

        /** Steps to the first request that has not been started, or the largest number if there is none. */
        private long distance() {
            FetchTask first = pending.peek();
            while (first != null && !first.isNew()) {
                pending.poll();
                first = pending.peek();
            }
            return first == null ? Long.MAX_VALUE : first.job().ordinal() - position;
        }
    }

    /**
     * Wakes or starts a thread if a request waits that may run. That thread calls the next one when it has taken the
     * request, so as many come as are needed.
     */
    private void callThread() {
        if (!admits(peek())) {
            return;
        }
        if (idle > 0) {
            work.signal();
        } else if (threads < maxThreads) {
            // Counted once it has started: a thread that could not be made must not take a place.
            factory.newThread(this::serve).start();
            threads++;
        }
    }

    /** As {@link #callThread}, for a thread of the pool: that there are no more of them must not end this one. */
    private void callAnother() {
        try {
            callThread();
        } catch (OutOfMemoryError e) {
            LOG.warn("no further I/O thread can be started; {} serve", threads, e);
        }
    }

    private boolean admits(Lane lane) {
        return lane != null
                && limit.admits(running, underWay, lane.pending.peek().length());
    }

    /** Learns from a piece of a body that has come. Called by the thread that reads it. */
    private void progressed(FetchTask task) {
        lock.lock();
        try {
            limit.progressed(task.job().store(), task.pieceBytes(), task.pieceNanos(), isFull());
            callAnother();
        } finally {
            lock.unlock();
        }
    }

    /** Learns from a request that has ended. */
    private void ended(FetchTask task, boolean full) {
        if (task.firstByteNanos() > 0) {
            hedging.answered(task.job().store(), task.firstByteNanos());
        }
        if (task.throttled()) {
            limit.throttled();
            hedging.throttled();
        } else if (task.atOnce()) {
            limit.completed(task.job().store(), task.pieceBytes(), task.pieceNanos(), full);
        }
    }

    /** Whether requests wait because the limit does not admit them. */
    private boolean isFull() {
        Lane first = peek();
        return first != null && !admits(first);
    }

    /** A pool thread's life: runs requests, ends when there was none for a while. */
    private void serve() {
        lock.lock();
        try {
            long patience = idleNanos;
            while (true) {
                FetchTask task = next();
                if (task == null) {
                    // Looked for work after the time ran out as well: a submitter may have counted on this thread.
                    if (patience <= 0) {
                        return;
                    }
                    idle++;
                    try {
                        patience = work.awaitNanos(patience);
                    } catch (InterruptedException e) {
                        // Meant for a request that had ended meanwhile. A submitter may have counted on this thread,
                        // so it looks for work again.
                    } finally {
                        idle--;
                    }
                } else {
                    patience = idleNanos;
                    running++;
                    underWay += task.length();
                    callAnother();
                    lock.unlock();
                    boolean mine = false;
                    try {
                        mine = task.runWatched(this::progressed);
                    } finally {
                        // A store's client aborts a read by an interrupt, which may come when the read has ended.
                        Thread.interrupted();
                        lock.lock();
                        boolean full = isFull();
                        running--;
                        underWay -= task.length();
                        if (mine) {
                            ended(task, full);
                        }
                        callAnother();
                    }
                }
            }
        } finally {
            threads--;
            if (threads == 0) {
                whenIdle.run();
            }
            lock.unlock();
        }
    }

    /** Takes the request that is most urgent, if it may run now. */
    private FetchTask next() {
        Lane first = peek();
        if (!admits(first)) {
            return null;
        }
        first.lastServed = ++services;
        return first.pending.poll();
    }

    /** The lane of the most urgent request; null if none waits. */
    private Lane peek() {
        Lane best = null;
        long bestDistance = Long.MAX_VALUE;
        for (Lane lane : lanes) {
            long distance = lane.distance();
            if (distance < bestDistance
                    || (distance == bestDistance && best != null && lane.lastServed < best.lastServed)) {
                best = lane;
                bestDistance = distance;
            }
        }
        return best;
    }
}
