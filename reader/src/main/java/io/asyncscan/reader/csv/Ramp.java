// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import io.asyncscan.reader.fetch.BufferPool;
import io.asyncscan.reader.storage.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * How long the requests of a task are. Task thread only.
 *
 * <p>A reader of lines goes through a file in order and waits for a request as a whole. Requests under way at once share
 * the network, so the one it waits for comes the later the longer they are; and it comes at the pace of one connection.
 * With {@link #SHORT} a few of them fill a network of 150 MB/s, and over connections of 10 MB/s one takes no longer than
 * two round trips of 100 ms.
 *
 * <p>Where decoding is the bottleneck nobody waits, and a request costs CPU time that decoding wants, part of it
 * however short it is. So requests become twice as long, up to {@link #LONG}, with every {@link #CALM}
 * claims in a row that found their job complete, and short again when one did not.
 *
 * <p>The first two requests of a task are cut into halves, so that decoding starts the sooner, and so is the last one, so
 * that the less is left to decode when everything has come.
 */
final class Ramp {
    /** Longest request while the reader waits (bytes), with the header of its array. */
    static final int SHORT = 2 << 20;

    /** Longest request where the reader never waits (bytes), with the header of its array. Two of them are ahead then. */
    static final int LONG = 8 << 20;

    /** Claims without waiting after which requests become twice as long. */
    static final int CALM = 4;

    /** Shorter requests are not cut (bytes): they take hardly longer than the round trip. */
    static final long MIN = 1 << 20;

    /** How many of the first requests of a task are cut. */
    private static final int FIRST = 2;

    private int started;

    /** Longest request (bytes) after {@code calm} claims in a row that found their job complete. */
    static int longest(int calm) {
        int doublings = Math.min(calm / CALM, Integer.numberOfTrailingZeros(LONG / SHORT));
        return (SHORT << doublings) - BufferPool.HEADER;
    }

    /** The first of as many equal parts of {@code left}, which is not empty, as requests of at most {@code longest} bytes need. */
    static ByteRange first(ByteRange left, int longest) {
        long parts = (left.length() - 1) / longest + 1;
        return new ByteRange(left.offset(), (left.length() - 1) / parts + 1);
    }

    /**
     * The requests that stand for {@code requests}, in the same order.
     *
     * @param last whether the task needs no others after these
     */
    List<ByteRange> apply(List<ByteRange> requests, boolean last) {
        List<ByteRange> result = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            ByteRange request = requests.get(i);
            boolean end = last && i == requests.size() - 1;
            if ((started < FIRST || end) && request.length() > MIN) {
                long middle = request.offset() + request.length() / 2;
                result.add(ByteRange.between(request.offset(), middle));
                result.add(ByteRange.between(middle, request.end()));
            } else {
                result.add(request);
            }
            started++;
        }
        return result;
    }
}
