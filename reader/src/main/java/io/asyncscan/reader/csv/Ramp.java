// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import io.asyncscan.reader.storage.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts the first request of a task into an eighth, an eighth, a quarter and a half, so that decoding starts when an
 * eighth of it is there: a request of 8 MiB takes 140 ms at 60 MB/s, its first MiB 17. What is fetched later is fetched
 * while the reader is busy and stays as long as requests may be. Task thread only.
 */
final class Ramp {
    /** Shorter requests are not cut (bytes): they take hardly longer than the round trip. */
    static final long MIN = 1 << 20;

    private static final int[] EIGHTHS = {1, 1, 2};

    private boolean started;

    /** The requests that stand for {@code requests}, in the same order. */
    List<ByteRange> apply(List<ByteRange> requests) {
        if (started || requests.isEmpty()) {
            return requests;
        }
        started = true;
        ByteRange first = requests.get(0);
        if (first.length() <= MIN) {
            return requests;
        }
        List<ByteRange> result = new ArrayList<>();
        long at = first.offset();
        for (int eighths : EIGHTHS) {
            long next = at + first.length() / 8 * eighths;
            result.add(ByteRange.between(at, next));
            at = next;
        }
        result.add(ByteRange.between(at, first.end()));
        result.addAll(requests.subList(1, requests.size()));
        return result;
    }
}
