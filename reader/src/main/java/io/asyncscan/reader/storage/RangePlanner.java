// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Turns the ranges that are wanted of one file into the ranges to fetch. Pure: no I/O, no state.
 *
 * <p>The plan covers every wanted byte, its ranges are disjoint, in order of their offset and no longer than a part, and
 * at most {@link RangePolicy#maxOverRead} of its bytes are unwanted.
 *
 * <p>Example, part size 8 MiB, largest gap 1 MiB, over-read 20 %. Wanted (MiB): 0-2, 2-3, 3.25-4, 4.75-5, 9-27. The first two
 * touch and become 0-3. The gap of 0.25 goes first: one request for 0-4 in place of two. Then the gap of 0.75: 0-5. The
 * gap of 4 is longer than a request is worth. 9-27 is cut into three parts of 6. Fetched: 0-5, 9-15, 15-21, 21-27, four
 * requests, 1 MiB of 23 unwanted.
 */
public final class RangePlanner {
    /** Into how many parts a first request is cut at most: two connections would fill many networks, four most. */
    private static final int SPREAD = 4;

    /** Shortest part worth a request of its own (bytes): at 60 MB/s it takes 9 ms, against 2 ms of CPU. */
    private static final int SPREAD_MIN = 512 << 10;

    private static final Comparator<Gap> SMALLEST_FIRST =
            Comparator.comparingLong(Gap::length).thenComparingInt(Gap::after);

    private RangePlanner() {}

    /**
     * The ranges to fetch for {@code wanted}, which may come in any order, overlap and be empty.
     *
     * @return each at most {@link RangePolicy#partSize} long, so its length fits an {@code int}
     */
    public static List<ByteRange> plan(List<ByteRange> wanted, RangePolicy policy) {
        List<ByteRange> parts = new ArrayList<>();
        for (ByteRange merged : merge(wanted, policy)) {
            split(merged, policy.partSize(), parts);
        }
        return parts;
    }

    /**
     * {@code requests} for the job a task waits for first, cut so that they get a larger share of a network that requests
     * for later jobs are using already: decoding starts the sooner.
     */
    public static List<ByteRange> spread(List<ByteRange> requests) {
        List<ByteRange> parts = new ArrayList<>();
        for (ByteRange request : requests) {
            long count = Math.max(1, Math.min(SPREAD, request.length() / SPREAD_MIN));
            split(request, (int) ((request.length() + count - 1) / count), parts);
        }
        return parts;
    }

    /** The ranges to fetch before they are cut into parts: disjoint, in order, none empty. */
    public static List<ByteRange> merge(List<ByteRange> wanted, RangePolicy policy) {
        List<ByteRange> ranges = union(wanted);
        long unwanted = 0;
        long total = ranges.stream().mapToLong(ByteRange::length).sum();
        boolean changed = true;
        // A merge lengthens a range, which can make a gap worth while that was not before: go on until none is.
        while (changed) {
            changed = false;
            Groups groups = new Groups(ranges);
            for (Gap gap : gaps(ranges, policy.maxCoalesceGap())) {
                if (unwanted + gap.length() > policy.maxOverRead() * (total + unwanted + gap.length())) {
                    // Every further gap is at least as long.
                    break;
                }
                if (groups.savesRequest(gap, policy.partSize())) {
                    groups.join(gap);
                    unwanted += gap.length();
                    changed = true;
                }
            }
            ranges = groups.ranges();
        }
        return ranges;
    }

    /** Sorted, without empty ranges, overlapping and touching ones made one. */
    private static List<ByteRange> union(List<ByteRange> wanted) {
        List<ByteRange> sorted = new ArrayList<>(wanted);
        sorted.removeIf(range -> range.length() == 0);
        sorted.sort(Comparator.comparingLong(ByteRange::offset));
        List<ByteRange> union = new ArrayList<>(sorted.size());
        for (ByteRange range : sorted) {
            int last = union.size() - 1;
            if (last >= 0 && range.offset() <= union.get(last).end()) {
                ByteRange before = union.get(last);
                union.set(last, ByteRange.between(before.offset(), Math.max(before.end(), range.end())));
            } else {
                union.add(range);
            }
        }
        return union;
    }

    private static List<Gap> gaps(List<ByteRange> ranges, long longest) {
        List<Gap> gaps = new ArrayList<>();
        for (int i = 0; i + 1 < ranges.size(); i++) {
            long length = ranges.get(i + 1).offset() - ranges.get(i).end();
            if (length <= longest) {
                gaps.add(new Gap(i, length));
            }
        }
        gaps.sort(SMALLEST_FIRST);
        return gaps;
    }

    /** Equal parts, so that none is a straggler by its length and none too small to be worth a request. */
    private static void split(ByteRange range, int partSize, List<ByteRange> parts) {
        long count = requests(range.length(), partSize);
        long size = range.length() / count;
        long longer = range.length() % count;
        long offset = range.offset();
        for (long i = 0; i < count; i++) {
            long length = i < longer ? size + 1 : size;
            parts.add(new ByteRange(offset, length));
            offset += length;
        }
    }

    private static long requests(long length, int partSize) {
        return (length - 1) / partSize + 1;
    }

    /**
     * What lies between two neighbours.
     *
     * @param after index of the range before it
     */
    private record Gap(int after, long length) {}

    /** Neighbouring ranges on their way to becoming one: at the first and last member of a group stands where it ends. */
    private static final class Groups {
        private final List<ByteRange> ranges;
        /** At the last range of a group: index of its first. */
        private final int[] first;
        /** At the first range of a group: index of its last. */
        private final int[] last;

        Groups(List<ByteRange> ranges) {
            this.ranges = ranges;
            this.first = new int[ranges.size()];
            this.last = new int[ranges.size()];
            for (int i = 0; i < ranges.size(); i++) {
                first[i] = i;
                last[i] = i;
            }
        }

        /** Cut into parts, what the gap joins may need as many requests as before: then its bytes would be for nothing. */
        boolean savesRequest(Gap gap, int partSize) {
            ByteRange left = group(first[gap.after()], gap.after());
            ByteRange right = group(gap.after() + 1, last[gap.after() + 1]);
            return requests(right.end() - left.offset(), partSize)
                    < requests(left.length(), partSize) + requests(right.length(), partSize);
        }

        void join(Gap gap) {
            int from = first[gap.after()];
            int to = last[gap.after() + 1];
            last[from] = to;
            first[to] = from;
        }

        List<ByteRange> ranges() {
            List<ByteRange> joined = new ArrayList<>();
            for (int i = 0; i < ranges.size(); i = last[i] + 1) {
                joined.add(group(i, last[i]));
            }
            return joined;
        }

        private ByteRange group(int from, int to) {
            return ByteRange.between(ranges.get(from).offset(), ranges.get(to).end());
        }
    }
}
