// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.UserError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which heaps are measured.
 *
 * @param chosen which of the four
 * @param plentyMb the largest heap (MB); a half and a quarter are taken of it
 * @param smallestMb the smallest (MB); 0 = search it
 */
record MemoryLimits(Set<Limit> chosen, int plentyMb, int smallestMb) {
    /** Spark does not start with a heap below one and a half of the 300 MB it reserves. */
    static final int LOWEST_MB = 450;

    /** To how many MB the smallest heap is searched. */
    static final int STEP_MB = 16;

    /** The heaps, largest first. */
    enum Limit {
        PLENTY,
        HALF,
        QUARTER,
        SMALLEST;

        /** What {@code --limits} and the table call it. */
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A heap and its name.
     *
     * @param heapMb the heap (MB)
     */
    record Heap(Limit limit, int heapMb) {}

    /** Reads a list such as {@code plenty,smallest}. */
    static Set<Limit> parse(String text) {
        Set<Limit> chosen = EnumSet.noneOf(Limit.class);
        for (String id : text.split(",", -1)) {
            try {
                chosen.add(Limit.valueOf(id.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new UserError("No limit is called " + id + ". There are: plenty half quarter smallest.", e);
            }
        }
        return chosen;
    }

    /**
     * The heaps, largest first; searches the smallest if it has to.
     *
     * @param attempt a try with Spark's own reader
     */
    List<Heap> heaps(SmallestHeap.Attempt attempt) throws IOException, InterruptedException {
        List<Heap> heaps = new ArrayList<>();
        for (Limit limit : chosen) {
            heaps.add(new Heap(
                    limit,
                    switch (limit) {
                        case PLENTY -> plentyMb;
                        case HALF -> plentyMb / 2;
                        case QUARTER -> plentyMb / 4;
                        case SMALLEST ->
                            smallestMb > 0 ? smallestMb : SmallestHeap.find(LOWEST_MB, plentyMb / 4, STEP_MB, attempt);
                    }));
        }
        return heaps;
    }
}
