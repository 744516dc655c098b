// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import java.time.Duration;
import java.util.Arrays;

/**
 * Counts what a server was asked for and what it sent, in all and over time, since the last {@link #reset}. Safe from any
 * thread.
 */
public final class Traffic {
    /** Width of a sample: fine enough to see a 30 ms gap between requests, coarse enough to be smooth. */
    private static final Duration BUCKET = Duration.ofMillis(50);

    /** Samples beyond this are counted into the last one: five minutes. */
    private static final int MAX_BUCKETS = 6_000;

    private final Ticker ticker;
    private long start;
    private long gets;
    private long heads;
    private long lists;
    private long bytes;
    private long[] buckets = new long[64];
    private int used;

    Traffic(Ticker ticker) {
        this.ticker = ticker;
        this.start = ticker.nanos();
    }

    /**
     * What happened between two points in time.
     *
     * @param gets GET requests of objects, the refused ones too
     * @param heads HEAD requests of objects
     * @param lists LIST requests
     * @param bytes payload bytes of GET answers
     * @param bucket width of one sample
     * @param bytesPerBucket payload bytes sent in each sample, oldest first; it ends with the last sample that has any
     */
    public record Snapshot(long gets, long heads, long lists, long bytes, Duration bucket, long[] bytesPerBucket) {}

    /** Everything since the last reset. */
    public synchronized Snapshot snapshot() {
        return new Snapshot(gets, heads, lists, bytes, BUCKET, Arrays.copyOf(buckets, used));
    }

    /** Starts anew: all counts are zero and the first sample begins now. */
    public synchronized void reset() {
        start = ticker.nanos();
        gets = 0;
        heads = 0;
        lists = 0;
        bytes = 0;
        Arrays.fill(buckets, 0);
        used = 0;
    }

    synchronized void get() {
        gets++;
    }

    synchronized void head() {
        heads++;
    }

    synchronized void list() {
        lists++;
    }

    synchronized void sent(long count) {
        bytes += count;
        int bucket = (int) Math.min((ticker.nanos() - start) / BUCKET.toNanos(), MAX_BUCKETS - 1);
        if (bucket >= buckets.length) {
            buckets = Arrays.copyOf(buckets, Math.min(Math.max(bucket + 1, 2 * buckets.length), MAX_BUCKETS));
        }
        buckets[bucket] += count;
        used = Math.max(used, bucket + 1);
    }
}
