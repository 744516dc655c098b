// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.util.HashMap;
import java.util.Map;

/**
 * How many requests an executor has under way at once: as many as fill the network, and not many more. Not thread-safe:
 * its owner guards it.
 *
 * <p>Requests share the network. Once it is full, every further one makes all of them slower, and the bytes a task needs
 * next come later, beside those it needs last. So the signal is how fast a body arrives, against the fastest that was
 * seen of the same store: while it stays near that, there is room for more requests; when it falls below half, there are
 * too many. In between the limit stays. That is the idea of TCP Vegas, with rates in place of round trips, because the
 * time to a store's first byte says little about the network.
 *
 * <p>A body is judged while it arrives, piece by piece: of a slow connection nobody has to wait for the end of a long one
 * to learn that there is room for more.
 *
 * <p>Some bytes under way are sure whatever the rates: while requests wait for their first byte the network idles, so short
 * ones have to be many. Of long ones few are enough, and few is what brings the first of them soon.
 *
 * <p>Example: 60 MB/s a connection, 150 MB/s in all, 30 ms to the first byte. With 4 requests of 8 MB under way bodies arrive
 * at 44 MB/s, with 5 at 35, with 6 at 27: it stays at 4 or 5. Requests of 1.1 MB would stay at 8 or 9, but on two cores 15
 * of them are sure. With 10 MB/s a connection and 100 ms, it grows to about 40.
 */
public final class InFlightLimit {
    /** Pieces of a body shorter than this (bytes) say nothing: they come out of socket buffers. */
    static final int MIN_PIECE = 512 << 10;

    /** Share of the best rate above which there is room, and below which there are too many. */
    static final double ROOM = 0.7;

    static final double CROWDED = 0.5;

    /** Weight of the newest body, and what the best rate loses with each: a day's best must not count for ever. */
    private static final double SMOOTHING = 0.25;

    private static final double FADING = 0.9998;

    /**
     * Requests after which a round with half as many is put in. On a full network no body comes as fast as one could, so
     * the best rate would fade and the limit creep up with it; that round shows the best again, as BBR's probes of the
     * round trip do. It costs a few per cent of one round in dozens.
     */
    private static final int PROBE_AFTER = 1024;

    /** What is left of the limit when there are too many, and when the store asks to slow down. */
    private static final double FEWER = 0.85;

    private static final double HALF = 0.5;

    /** Bytes that may be under way in any case, for each request of {@link #min}; and how many requests at most. */
    private static final long SURE_BYTES = 4 << 20;

    private static final int SURE_REQUESTS = 4;

    private final int min;
    private final int max;
    private final Map<String, Rate> rates = new HashMap<>();

    /** Between {@link #min} and {@link #max}. */
    private double limit;

    /** Whether any body was seen: what one connection can bring shows only while few share the network. */
    private boolean started;

    /** Whether the network was full once: from then on the limit grows by one per round instead of one per request. */
    private boolean settled;

    /** Requests since the limit was lowered: what was sent before that tells of the old one. */
    private int since;

    /** Requests since the last probe, and the limit to go back to after the probe under way; 0 if none is. */
    private int sinceProbe;

    private double resume;

    /** Rates of one store (bytes per nanosecond), and how near the latest came to the best. */
    private static final class Rate {
        private double best;
        private double nearness = 1;
    }

    /**
     * A limit that starts at {@code min}: the first bodies should show how fast one can come.
     *
     * @param min fewest requests, at least 1: what was seen once or twice must not make a scan serial
     * @param max most requests, at least {@code min}
     */
    public InFlightLimit(int min, int max) {
        if (min < 1 || max < min) {
            throw new IllegalArgumentException("no limits: " + min + " to " + max);
        }
        this.min = min;
        this.max = max;
        this.limit = min;
    }

    /** Requests that may be under way now, however long they are. */
    public int limit() {
        return (int) limit;
    }

    /**
     * Whether one more request may start.
     *
     * @param running requests under way
     * @param underWay length of all of them together (bytes)
     * @param bytes length of the one more
     */
    public boolean admits(int running, long underWay, long bytes) {
        if (running < (int) limit) {
            return true;
        }
        return started
                && resume == 0
                && running < Math.min(max, SURE_REQUESTS * min)
                && underWay + bytes <= SURE_BYTES * min;
    }

    /**
     * A piece of a body has come, and more of it will.
     *
     * @param store whatever tells stores apart
     * @param bytes of the piece
     * @param nanos from its first byte to its last
     * @param full whether requests wait that are not admitted: only then more under way could help
     */
    public void progressed(String store, long bytes, long nanos, boolean full) {
        Rate rate = observe(store, bytes, nanos);
        if (resume == 0 && full && rate.nearness > ROOM) {
            limit = Math.min(max, limit + (settled ? 1 / limit : 1));
        }
    }

    /**
     * A request has brought its bytes.
     *
     * @param bytes of the body's last piece: what came since {@link #progressed} was told of the one before
     * @param nanos from the first byte of that piece to the last
     */
    public void completed(String store, long bytes, long nanos, boolean full) {
        since++;
        Rate rate = observe(store, bytes, nanos);
        if (resume > 0) {
            // Those that were under way when it was lowered come first: twice the limit of the round.
            if (since >= 3 * limit) {
                limit = resume;
                resume = 0;
                sinceProbe = 0;
                since = 0;
            }
        } else if (settled && ++sinceProbe >= PROBE_AFTER) {
            resume = limit;
            lower(HALF);
        } else if (rate.nearness < CROWDED) {
            if (since >= limit) {
                lower(Math.max(HALF, Math.min(FEWER, rate.nearness / CROWDED)));
            }
        } else if (full && rate.nearness > ROOM) {
            limit = Math.min(max, limit + (settled ? 1 / limit : 1));
        }
    }

    private Rate observe(String store, long bytes, long nanos) {
        started = true;
        Rate rate = rates.computeIfAbsent(store, name -> new Rate());
        if (bytes >= MIN_PIECE) {
            double now = (double) bytes / Math.max(1, nanos);
            rate.best = Math.max(rate.best * FADING, rate.best == 0 ? now : rate.best + (now - rate.best) * SMOOTHING);
            double near = Math.min(1, now / rate.best);
            rate.nearness += (near - rate.nearness) * SMOOTHING;
            settled |= rate.nearness <= ROOM;
            if (2 * rate.nearness * Math.max(limit, SURE_REQUESTS * min) < 1) {
                forget(rate);
            }
        }
        return rate;
    }

    /**
     * Begins again with {@code rate}: if one connection could fill the network, as many as are under way would still have
     * their share of it each. Where bodies bring less than half of that, it is not the network any more that was seen, and
     * measured by it there would never be room again. The fewest requests show what one can bring now.
     */
    private void forget(Rate rate) {
        rate.best = 0;
        rate.nearness = 1;
        resume = Math.max(resume, limit);
        limit = min;
        settled = false;
        since = 0;
    }

    /** The store asked to slow down. */
    public void throttled() {
        if (since >= limit || !settled) {
            resume = 0;
            lower(HALF);
        }
    }

    private void lower(double share) {
        limit = Math.max(min, limit * share);
        settled = true;
        since = 0;
    }
}
