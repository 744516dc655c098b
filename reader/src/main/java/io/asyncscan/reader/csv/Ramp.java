// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import io.asyncscan.reader.storage.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * How long the requests of a task are. Task thread only.
 *
 * <p>A reader of lines goes through a file in order and waits for a request as a whole. Requests under way at once share
 * the network, so the one it waits for comes the later the longer they are; and it comes at the pace of one connection.
 * With {@link #LONGEST} a few of them fill a network of 150 MB/s, and over connections of 10 MB/s one takes no longer than
 * two round trips of 100 ms. Longer ones would cost fewer requests and leave cores idle.
 *
 * <p>The first two requests of a task are cut into halves, so that decoding starts the sooner, and so is the last one, so
 * that the less is left to decode when everything has come.
 */
final class Ramp {
    /** Longest request (bytes). */
    static final int LONGEST = 2 << 20;

    /** Shorter requests are not cut (bytes): they take hardly longer than the round trip. */
    static final long MIN = 1 << 20;

    /** How many of the first requests of a task are cut. */
    private static final int FIRST = 2;

    private int started;

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
