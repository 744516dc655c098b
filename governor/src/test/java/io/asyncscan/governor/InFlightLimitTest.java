// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class InFlightLimitTest {
    private static final double MB = 1e6;

    /** A network whose connections share a total; times in seconds, rates in bytes per second. */
    private record Network(double firstByte, double perConnection, double total) {

        /** How long a body takes when {@code requests} are under way, each in turn waiting and receiving. */
        double transfer(double body, int requests) {
            double alone = body / perConnection;
            // As many receive as the share of a request's time that is its body.
            double crowded = requests * body / total - firstByte;
            return Math.max(alone, crowded);
        }
    }

    private static InFlightLimit after(Network network, double body, int requests) {
        InFlightLimit limit = new InFlightLimit(4, 256);
        run(limit, network, body, requests);
        return limit;
    }

    private static void run(InFlightLimit limit, Network network, double body, int requests) {
        for (int i = 0; i < requests; i++) {
            double seconds = network.transfer(body, allowed(limit, (long) body));
            limit.completed("s", (long) body, (long) (seconds * 1e9), true);
        }
    }

    /** How many requests of that length may be under way at once. */
    private static int allowed(InFlightLimit limit, long body) {
        int running = 0;
        while (limit.admits(running, running * body, body)) {
            running++;
        }
        return running;
    }

    private static int allowedAfter(Network network, double body, int requests) {
        return allowed(after(network, body, requests), (long) body);
    }

    @Test
    void aFastConnectionNeedsFew() {
        Network network = new Network(0.03, 60 * MB, 150 * MB);
        assertTrue(allowedAfter(network, 1.1 * MB, 10) <= 16, "what it tries at first");
        for (int n : new int[] {100, 1000, 20_000}) {
            int limit = allowedAfter(network, 1.1 * MB, n);
            assertEquals(15, limit, n + " short requests");
        }
        for (int n : new int[] {100, 1000, 20_000}) {
            int limit = allowedAfter(network, 8 * MB, n);
            assertTrue(limit >= 4 && limit <= 8, n + " long requests: " + limit);
        }
    }

    @Test
    void howManyAreSureDependsOnTheirLength() {
        InFlightLimit limit = new InFlightLimit(4, 64);
        assertEquals(4, allowed(limit, 1000), "before anything is known");
        // Lowered as far as may be.
        for (int i = 0; i < 1000; i++) {
            limit.completed("s", 8 << 20, 1, false);
            limit.throttled();
        }
        assertEquals(4, allowed(limit, 8 << 20));
        assertEquals(8, allowed(limit, 2 << 20));
        assertEquals(16, allowed(limit, 1000));
        assertTrue(limit.admits(5, 12 << 20, 4 << 20), "whatever mixture they are of");
        assertFalse(limit.admits(5, 12 << 20, (4 << 20) + 1));
        InFlightLimit single = new InFlightLimit(1, 1);
        single.completed("s", 1000, 1, true);
        assertEquals(1, allowed(single, 1000), "never above the most");
    }

    @Test
    void aLongBodyIsJudgedWhileItArrives() {
        InFlightLimit slow = new InFlightLimit(4, 64);
        for (int i = 0; i < 12; i++) {
            slow.progressed("s", 1 << 20, 100_000_000, true);
        }
        assertEquals(16, slow.limit(), "no body has ended, and all come as fast as the first");
        slow.progressed("s", 1 << 20, 100_000_000, false);
        assertEquals(16, slow.limit(), "nothing waits");
        InFlightLimit crowded = new InFlightLimit(4, 64);
        crowded.progressed("s", 1 << 20, 17_000_000, false);
        for (int i = 0; i < 20; i++) {
            crowded.progressed("s", 1 << 20, 30_000_000, true);
        }
        assertTrue(crowded.limit() <= 8, "the network is full: " + crowded.limit());
    }

    @Test
    void slowConnectionsNeedManyAndGetThemSoon() {
        Network network = new Network(0.1, 10 * MB, 150 * MB);
        int soon = after(network, 1.1 * MB, 40).limit();
        assertTrue(soon >= 28, "fills the network within five round trips: " + soon);
        for (int n : new int[] {500, 2000, 20_000, 100_000}) {
            int later = after(network, 1.1 * MB, n).limit();
            assertTrue(later >= 20 && later <= 60, n + " requests do not flood it: " + later);
        }
    }

    @Test
    void aNetworkThatHasBecomeSlowIsMeasuredAnew() {
        Network fast = new Network(0.0005, 800 * MB, 2000 * MB);
        Network slow = new Network(0.1, 10 * MB, 150 * MB);
        InFlightLimit limit = after(fast, 2 * MB, 500);
        assertTrue(limit.limit() <= 8, "a few fill it: " + limit.limit());
        run(limit, slow, 2 * MB, 90);
        assertTrue(limit.limit() >= 15, "fills the network again: " + limit.limit());
    }

    @Test
    void sharingOneFullNetworkIsNoChangeOfIt() {
        // One connection fills the network alone, so each of sixteen has a sixteenth of it.
        InFlightLimit limit = new InFlightLimit(4, 256);
        limit.completed("s", 4 << 20, 28_000_000, false);
        for (int i = 0; i < 1000; i++) {
            limit.progressed("s", 1 << 20, 16 * 7_000_000, false);
            assertEquals(16, allowed(limit, 1 << 20), "after " + i);
        }
        assertEquals(4, limit.limit());
    }

    @Test
    void growsOnlyWhereMoreCouldHelp() {
        InFlightLimit limit = new InFlightLimit(4, 64);
        for (int i = 0; i < 100; i++) {
            limit.completed("s", 8 << 20, 160_000_000, false);
        }
        assertEquals(4, limit.limit());
        limit.completed("s", 8 << 20, 160_000_000, true);
        assertEquals(5, limit.limit());
    }

    @Test
    void smallBodiesSayNothingOfRatesAndLetItGrow() {
        InFlightLimit limit = new InFlightLimit(4, 64);
        for (int i = 0; i < 100; i++) {
            limit.completed("s", 1000, 1, true);
        }
        assertEquals(64, limit.limit());
    }

    @Test
    void aStoreThatAsksToSlowDownIsHeardOncePerRound() {
        InFlightLimit limit = new InFlightLimit(4, 64);
        for (int i = 0; i < 60; i++) {
            limit.completed("s", 1000, 1, true);
        }
        assertEquals(64, limit.limit());
        for (int i = 0; i < 20; i++) {
            limit.throttled();
        }
        assertEquals(32, limit.limit(), "those that were under way are one answer");
        for (int i = 0; i < 1000; i++) {
            limit.completed("s", 8 << 20, 1, false);
            limit.throttled();
        }
        assertEquals(4, limit.limit(), "never below the least");
    }

    @Test
    void storesAreComparedWithThemselves() {
        InFlightLimit limit = new InFlightLimit(4, 64);
        for (int i = 0; i < 200; i++) {
            limit.completed("fast", 1 << 20, 1_000_000, true);
            limit.completed("slow", 1 << 20, 100_000_000, true);
        }
        assertEquals(64, limit.limit());
    }

    @Test
    void aRecordFadesWithTheNetworkThatMadeIt() {
        InFlightLimit limit = new InFlightLimit(4, 64);
        limit.completed("s", 1 << 20, 1_000_000, true);
        for (int i = 0; i < 20_000; i++) {
            limit.completed("s", 1 << 20, 20_000_000, true);
        }
        assertTrue(limit.limit() > 32, "the network has changed: " + limit.limit());
    }

    @Test
    void rejectsImpossibleBounds() {
        assertThrows(IllegalArgumentException.class, () -> new InFlightLimit(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new InFlightLimit(2, 1));
    }
}
