// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

/**
 * How large the next partition should be. Pure.
 *
 * <p>A task starts cold: its first bytes take a full round trip, so few and large partitions are best. All task slots
 * should end together, so the last ones have to be small. A scan that fits into one partition a slot gets just that. A
 * larger one gets partitions of the maximum, and towards its end each takes a slot's share of what is left.
 *
 * <p>Example: 2 slots, at most 128 MB, 600 MB in all: 128, 128, 128, 108, 54, 32, 22.
 */
final class PartitionSizes {
    /** Smaller partitions than this are not worth a task of their own (bytes), unless the user says so. */
    static final long MIN = 32L << 20;

    private final int slots;
    private final long max;
    private final long min;

    /** Partitions left to be made of a scan that fits into one a slot; 0 for a larger one. */
    private int even;

    private long left;

    /**
     * Sizes for one scan.
     *
     * @param total cost of all jobs (bytes)
     * @param slots task slots, at least 1
     * @param max most cost of a partition (bytes), at least 1
     * @param min what is not worth cutting (bytes): Spark's own scans go by the cost of opening a file
     */
    PartitionSizes(long total, int slots, long max, long min) {
        this.slots = slots;
        this.max = Math.max(1, max);
        this.left = total;
        long share = Math.max(1, (total + slots - 1) / slots);
        this.min = min;
        this.even = share <= this.max ? slots : 0;
    }

    /** The size the next partition should have (bytes). */
    long next() {
        if (even > 0) {
            // Of what is left, not of the whole: where jobs do not divide evenly no small rest remains that would
            // start cold after all others have ended.
            return Math.min(max, Math.max((left + even - 1) / even, Math.max(1, min)));
        }
        return Math.max(Math.min(MIN, max), Math.min(max, left / slots));
    }

    /** A partition of this cost was made. */
    void made(long cost) {
        left = Math.max(0, left - cost);
        even = Math.max(Math.min(even, 1), even - 1);
    }
}
