// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

/**
 * How wanted ranges become requests.
 *
 * @param partSize longest single request (bytes), at least 1
 * @param maxCoalesceGap longest gap between two wanted ranges that one request may read through (bytes, at least 0)
 * @param maxOverRead largest share of the fetched bytes that nobody asked for, between 0 and 1
 */
public record RangePolicy(int partSize, long maxCoalesceGap, double maxOverRead) {
    /**
     * 8 MiB: at 60 MB/s a part lasts 140 ms, against which 30 ms of latency, paid in parallel, and 2 ms of CPU weigh little,
     * and it is no longer than it takes to lose little when it has to be repeated. It is also S3's usual upload part.
     */
    public static final int DEFAULT_PART_SIZE = 8 << 20;

    /** A fifth: what merging saves in requests it must not lose in bytes. */
    public static final double DEFAULT_MAX_OVER_READ = 0.2;

    /** Rejects values that no plan satisfies. */
    public RangePolicy {
        if (partSize < 1) {
            throw new IllegalArgumentException("partSize is " + partSize + ", must be at least 1");
        }
        if (maxCoalesceGap < 0) {
            throw new IllegalArgumentException("maxCoalesceGap is " + maxCoalesceGap + ", must be at least 0");
        }
        if (!(maxOverRead >= 0 && maxOverRead <= 1)) {
            throw new IllegalArgumentException("maxOverRead is " + maxOverRead + ", must be between 0 and 1");
        }
    }

    /** This policy with no request longer than {@code bytes}. */
    public RangePolicy withParts(int bytes) {
        return new RangePolicy(Math.min(partSize, bytes), maxCoalesceGap, maxOverRead);
    }

    /** Default part size and over-read, with the gap that costs as much as a request to {@code store}. */
    public static RangePolicy forStore(StoreEstimate store) {
        return new RangePolicy(DEFAULT_PART_SIZE, store.coalesceGap(), DEFAULT_MAX_OVER_READ);
    }
}
