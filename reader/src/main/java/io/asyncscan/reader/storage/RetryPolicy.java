// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.time.Duration;

/**
 * How often and how patiently a read is attempted.
 *
 * @param maxAttempts attempts a read may take in all, at least 1
 * @param baseDelay wait before the second attempt, before jitter; each further wait doubles
 * @param maxDelay longest single wait
 * @param progressTimeout an attempt that receives no byte for this long is given up. A slow attempt that still
 *     receives bytes is left alone
 */
public record RetryPolicy(int maxAttempts, Duration baseDelay, Duration maxDelay, Duration progressTimeout) {

    /** Rejects values that no read could work with. */
    public RetryPolicy {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is " + maxAttempts + ", must be at least 1");
        }
        if (baseDelay.isNegative() || maxDelay.compareTo(baseDelay) < 0) {
            throw new IllegalArgumentException(
                    "baseDelay is " + baseDelay + " and maxDelay " + maxDelay + ", must be 0 <= baseDelay <= maxDelay");
        }
        if (progressTimeout.isNegative() || progressTimeout.isZero()) {
            throw new IllegalArgumentException("progressTimeout is " + progressTimeout + ", must be above 0");
        }
    }

    /**
     * Eight attempts, the waits between them 50, 100, 200, 400, 800, 1600 and 3200 ms before jitter: about five seconds
     * in all, in which a reset connection or a restarting server is over. A store that asks to slow down gets four
     * times that, capped at 5 s a wait (0.2 + 0.4 + 0.8 + 1.6 + 3.2 + 5 + 5: 16 s), because S3 takes that order of time to
     * split a hot prefix.
     */
    public static RetryPolicy defaults() {
        return new RetryPolicy(8, Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(30));
    }
}
