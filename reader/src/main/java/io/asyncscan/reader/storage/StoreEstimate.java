// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.time.Duration;

/**
 * What one more request to a store costs, against one more byte of a request under way.
 *
 * @param requestLatency from sending a request to its first byte
 * @param bytesPerSecond how fast the body of a single request comes
 */
public record StoreEstimate(Duration requestLatency, long bytesPerSecond) {
    /** 30 ms to the first byte is S3's median; a single connection brings 50 to 90 MB/s: 1.8 MB. */
    private static final StoreEstimate OBJECT_STORE = new StoreEstimate(Duration.ofMillis(30), 60_000_000);

    /** An RPC, a connection to a data node and a disk seek, then a disk's or a 1 Gbit/s network's speed: 200 kB. */
    private static final StoreEstimate HDFS = new StoreEstimate(Duration.ofMillis(2), 100_000_000);

    /** Opening and seeking a stream takes 40 to 60 us, a cold SSD reads 1 GB/s: 64 kB. */
    private static final StoreEstimate LOCAL = new StoreEstimate(Duration.ofNanos(64_000), 1_000_000_000);

    /** Rejects values that are not measurements. */
    public StoreEstimate {
        if (requestLatency.isNegative() || bytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "no store answers after " + requestLatency + " with " + bytesPerSecond + " bytes/s");
        }
    }

    /** What to assume of a store of which nothing is measured yet, by the scheme of its file system's URI. */
    public static StoreEstimate forScheme(String scheme) {
        return switch (scheme) {
            case "file" -> LOCAL;
            case "hdfs", "viewfs", "webhdfs", "swebhdfs", "ofs", "o3fs" -> HDFS;
            default -> OBJECT_STORE;
        };
    }

    /**
     * The gap (bytes) that costs as much as a request: latency times bandwidth, 30 ms x 60 MB/s = 1.8 MB. Reading on through a
     * smaller one is sooner done than asking anew.
     */
    public long coalesceGap() {
        return (long) (requestLatency.toNanos() / 1e9 * bytesPerSecond);
    }
}
