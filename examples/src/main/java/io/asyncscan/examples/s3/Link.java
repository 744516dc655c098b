// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import java.io.IOException;

/**
 * The wire between a server and its clients: applies a {@link Shape} and counts the {@link Traffic}. Its owner is the
 * server. The methods that wait block the calling thread, which serves one connection. Safe from any thread.
 */
public final class Link {
    /**
     * Most bytes that leave at once. At 60 MB/s this is 1.1 ms, so that a chart of 50 ms samples is smooth and many
     * connections share the wire evenly; pacing then costs about 2 % of a core at 150 MB/s.
     */
    public static final int SLICE_BYTES = 64 << 10;

    private final Ticker ticker;
    private final Traffic traffic;
    private volatile Lane lane;

    /** A shape with the pacer that all its connections share. */
    private record Lane(Shape shape, Pacer total) {}

    /** A link that has the given shape until it is changed. */
    public Link(Shape shape) {
        this(shape, Ticker.SYSTEM);
    }

    Link(Shape shape, Ticker ticker) {
        this.ticker = ticker;
        this.traffic = new Traffic(ticker);
        shape(shape);
    }

    /** Changes the shape for the requests that begin from now on. */
    public void shape(Shape shape) {
        lane = new Lane(shape, new Pacer(shape.totalBytesPerSecond(), ticker));
    }

    /** What went over this link. */
    public Traffic traffic() {
        return traffic;
    }

    /** Counts a HEAD and waits for its first byte. */
    public void head() throws IOException {
        traffic.head();
        awaitFirstByte();
    }

    /** Counts a LIST and waits for its first byte. */
    public void list() throws IOException {
        traffic.list();
        awaitFirstByte();
    }

    /** Counts a GET and waits for its first byte. The answer's payload then goes through a {@link #newBody body}. */
    public void get() throws IOException {
        traffic.get();
        awaitFirstByte();
    }

    /** The way of one answer's payload. */
    public Body newBody() {
        return new Body(lane);
    }

    private void awaitFirstByte() throws IOException {
        ticker.sleep(lane.shape().firstByte().toNanos());
    }

    /** Paces one answer. For one thread. */
    public final class Body {
        private final Lane lane;
        private final Pacer connection;

        private Body(Lane lane) {
            this.lane = lane;
            this.connection = new Pacer(lane.shape().connectionBytesPerSecond(), ticker);
        }

        /**
         * Counts bytes and waits until they may leave.
         *
         * @param count at most {@link #SLICE_BYTES}, or the flow is not smooth
         */
        public void send(int count) throws IOException {
            // First the connection, then the wire that all share: a slot of the shared one is taken only by who can use
            // it.
            ticker.sleep(connection.reserve(count));
            ticker.sleep(lane.total().reserve(count));
            traffic.sent(count);
        }
    }
}
