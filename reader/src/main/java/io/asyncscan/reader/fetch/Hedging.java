// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides when a request that a task waits for is asked a second time: when the store has been silent for longer than it
 * usually takes to the first byte. One of these serves all scans of an executor.
 *
 * <p>How long is too long is computed as TCP's retransmission timeout is (RFC 6298): the smoothed time to the first byte plus four
 * times its smoothed deviation, and never less than {@link #LEAST}. Within a body four times as long, since connections that share
 * a full network are silent at times.
 *
 * <p>Second requests are at most one in {@link #REQUESTS_PER_HEDGE}, so that a store that is slow as a whole is not asked twice for
 * everything, and there are none for {@link #CALM} after the store asked to slow down.
 *
 * <p>Safe from any thread; waits for nothing.
 */
final class Hedging {
    /** Shortest silence (ns) that is too long, whatever the store is like: below it, a second request gains little. */
    static final long LEAST = TimeUnit.MILLISECONDS.toNanos(200);

    /** What is too long (ns) while a store has not answered yet: RFC 6298's first timeout. */
    static final long UNKNOWN = TimeUnit.SECONDS.toNanos(1);

    /** How many first requests pay for a second one. */
    static final int REQUESTS_PER_HEDGE = 20;

    /** How long (ns) no second request is sent after the store asked to slow down. */
    static final long CALM = TimeUnit.SECONDS.toNanos(10);

    /** Most second requests that may be saved up, for many stragglers at once. */
    private static final int MOST_SAVED = 16;

    /** Within a body, silence may last so many times as long as before it. */
    private static final int BODY_FACTOR = 4;

    /** Stores that are remembered; a job has one, and most applications have few. */
    private static final int STORES = 64;

    private final LongSupplier clock;

    /** Guarded by this object's monitor. */
    private final Map<String, Answers> stores = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Answers> eldest) {
            return size() > STORES;
        }
    };

    /** What first requests have paid, in parts of a second one; from 0 to {@link #MOST_SAVED} of those. Guarded by the monitor. */
    private int saved = REQUESTS_PER_HEDGE;

    /** Whether a store asked to slow down, and when it did last. Guarded by the monitor. */
    private boolean throttled;

    private long throttledAt;

    Hedging() {
        this(System::nanoTime);
    }

    /** @param clock as {@link System#nanoTime} */
    Hedging(LongSupplier clock) {
        this.clock = clock;
    }

    /** A first request was answered {@code nanos} after it was sent. */
    synchronized void answered(String store, long nanos) {
        stores.computeIfAbsent(store, name -> new Answers()).add(nanos);
        saved = Math.min(saved + 1, MOST_SAVED * REQUESTS_PER_HEDGE);
    }

    /** A store asked to slow down. */
    synchronized void throttled() {
        throttled = true;
        throttledAt = clock.getAsLong();
    }

    /**
     * Whether a request is to be sent again, and if so, counts the second one.
     *
     * @param store where the first one went
     * @param silence how long nothing has come (ns)
     * @param answered whether part of the body has come
     */
    synchronized boolean admits(String store, long silence, boolean answered) {
        if (throttled && clock.getAsLong() - throttledAt < CALM) {
            return false;
        }
        Answers known = stores.get(store);
        long patience = known == null ? UNKNOWN : Math.max(LEAST, known.timeout());
        if (silence < patience * (answered ? BODY_FACTOR : 1) || saved < REQUESTS_PER_HEDGE) {
            return false;
        }
        saved -= REQUESTS_PER_HEDGE;
        return true;
    }

    /** How soon a store answers: RFC 6298, section 2, with its constants. */
    private static final class Answers {
        private double smoothed;
        private double deviation;
        private boolean any;

        void add(long nanos) {
            if (any) {
                deviation += (Math.abs(smoothed - nanos) - deviation) / 4;
                smoothed += (nanos - smoothed) / 8;
            } else {
                smoothed = nanos;
                deviation = nanos / 2.0;
                any = true;
            }
        }

        long timeout() {
            return (long) (smoothed + 4 * deviation);
        }
    }
}
