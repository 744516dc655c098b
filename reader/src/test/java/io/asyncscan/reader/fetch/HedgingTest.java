// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HedgingTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private long now = Long.MAX_VALUE - 5;
    private final Hedging hedging = new Hedging(() -> now);

    private static long millis(long count) {
        return TimeUnit.MILLISECONDS.toNanos(count);
    }

    private void answers(String store, int count, long nanos) {
        for (int i = 0; i < count; i++) {
            hedging.answered(store, nanos);
        }
    }

    @Test
    void aStoreThatHasNotAnsweredGetsASecond() {
        assertFalse(hedging.admits("s3a://a", Hedging.UNKNOWN - 1, false));
        assertTrue(hedging.admits("s3a://a", Hedging.UNKNOWN, false));
    }

    @Test
    void aSteadyStoreIsSilentForTheLeastTime() {
        answers("s3a://a", 100, millis(30));
        assertFalse(hedging.admits("s3a://a", Hedging.LEAST - 1, false));
        assertTrue(hedging.admits("s3a://a", Hedging.LEAST, false));
    }

    @Test
    void aSlowStoreIsGivenMoreTime() {
        for (int i = 0; i < 400; i++) {
            hedging.answered("s3a://far", millis(i % 2 == 0 ? 300 : 500));
        }
        // 400 ms on average, 100 ms off it each time.
        assertFalse(hedging.admits("s3a://far", millis(750), false));
        assertTrue(hedging.admits("s3a://far", millis(850), false));
        answers("s3a://near", 1, millis(10));
        assertTrue(hedging.admits("s3a://near", Hedging.LEAST, false), "each store has its own time");
    }

    @Test
    void withinABodySilenceMayLastLonger() {
        answers("s3a://a", 100, millis(30));
        assertFalse(hedging.admits("s3a://a", 4 * Hedging.LEAST - 1, true));
        assertTrue(hedging.admits("s3a://a", 4 * Hedging.LEAST, true));
    }

    @Test
    void firstRequestsPayForSecondOnes() {
        assertTrue(hedging.admits("s3a://a", HOUR, false), "the first one is free");
        assertFalse(hedging.admits("s3a://a", HOUR, false));
        answers("s3a://a", Hedging.REQUESTS_PER_HEDGE - 1, millis(30));
        assertFalse(hedging.admits("s3a://a", HOUR, false));
        answers("s3a://a", 1, millis(30));
        assertTrue(hedging.admits("s3a://a", HOUR, false));
        assertFalse(hedging.admits("s3a://a", HOUR, false));
    }

    @Test
    void whatIsSavedUpIsBounded() {
        answers("s3a://a", 100_000, millis(30));
        int admitted = 0;
        while (hedging.admits("s3a://a", HOUR, false)) {
            admitted++;
        }
        assertEquals(16, admitted);
    }

    @Test
    void aStoreThatAsksToSlowDownIsNotAskedTwice() {
        answers("s3a://a", 100, millis(30));
        hedging.throttled();
        now += Hedging.CALM - 1;
        assertFalse(hedging.admits("s3a://a", HOUR, false));
        now += 1;
        assertTrue(hedging.admits("s3a://a", HOUR, false), "also when the clock has passed its largest number");
    }

    @Test
    void whatIsNotAdmittedCostsNothing() {
        answers("s3a://a", 100, millis(30));
        for (int i = 0; i < 1000; i++) {
            assertFalse(hedging.admits("s3a://a", 1, false));
        }
        assertTrue(hedging.admits("s3a://a", HOUR, false));
    }

    @Test
    void storesBeyondTheNewestAreForgotten() {
        answers("s3a://old", 10, millis(5));
        for (int i = 0; i < 64; i++) {
            answers("s3a://bucket-" + i, 10, millis(5));
        }
        assertFalse(hedging.admits("s3a://old", Hedging.LEAST, false));
        assertTrue(hedging.admits("s3a://bucket-63", Hedging.LEAST, false));
    }
}
