// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import java.io.IOException;

/** Searches the smallest heap with which something still succeeds. */
final class SmallestHeap {
    private SmallestHeap() {}

    /** One try. */
    interface Attempt {
        /** Whether it succeeds with a heap of so many MB. */
        boolean succeeds(int heapMb) throws IOException, InterruptedException;
    }

    /**
     * The smallest heap, to within {@code step}. The lowest one is tried first: often it is enough.
     *
     * @param lowest heap below which nothing starts (MB)
     * @param highest heap with which it is known to succeed (MB)
     * @param step precision (MB, at least 1)
     */
    static int find(int lowest, int highest, int step, Attempt attempt) throws IOException, InterruptedException {
        if (lowest > highest || step < 1) {
            throw new IllegalArgumentException("from " + lowest + " to " + highest + " by " + step);
        }
        if (lowest == highest || attempt.succeeds(lowest)) {
            return lowest;
        }
        int fails = lowest;
        int succeeds = highest;
        while (succeeds - fails > step) {
            int middle = fails + (succeeds - fails) / 2;
            if (attempt.succeeds(middle)) {
                succeeds = middle;
            } else {
                fails = middle;
            }
        }
        return succeeds;
    }
}
