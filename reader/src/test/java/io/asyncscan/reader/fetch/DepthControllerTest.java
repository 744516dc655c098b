// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DepthControllerTest {
    @Test
    void growsWhereBeingFurtherAheadWouldHaveHelped() {
        DepthController depth = new DepthController(-1);
        assertEquals(2, depth.window());
        depth.claimed(false, false, 0);
        assertEquals(2, depth.window(), "the job was there in time");
        depth.claimed(true, true, 0);
        assertEquals(2, depth.window(), "the network is full");
        for (int expected : new int[] {4, 8, 16, 32, 64, 128, 256, 256}) {
            depth.claimed(true, false, 0);
            assertEquals(expected, depth.window());
        }
    }

    @Test
    void growsFromWhatIsAhead() {
        DepthController depth = new DepthController(-1);
        depth.claimed(true, false, 8);
        assertEquals(2, depth.window(), "nothing hides the wait for the first job");
        depth.claimed(true, false, 8);
        assertEquals(16, depth.window());
        depth.claimed(true, false, 3);
        assertEquals(32, depth.window());
    }

    @Test
    void shrinksSlowlyWhereDecodingIsTheBottleneck() {
        DepthController depth = ramped(-1);
        for (int i = 0; i < DepthController.CALM_CLAIMS - 1; i++) {
            depth.claimed(false, false, 0);
        }
        assertEquals(32, depth.window());
        depth.claimed(false, false, 0);
        assertEquals(31, depth.window());
        for (int i = 0; i < 1000; i++) {
            depth.claimed(false, false, 0);
        }
        assertEquals(DepthController.START, depth.window(), "never fewer than hide a request");
    }

    @Test
    void waitingRestartsTheCalm() {
        DepthController depth = ramped(-1);
        for (int i = 0; i < DepthController.CALM_CLAIMS - 1; i++) {
            depth.claimed(false, false, 0);
        }
        depth.claimed(true, false, 0);
        depth.claimed(false, false, 0);
        assertEquals(64, depth.window());
    }

    @Test
    void staysWithinItsCap() {
        assertEquals(0, ramped(0).window());
        assertEquals(1, ramped(1).window());
        assertEquals(3, ramped(3).window());
        Random random = new Random(1);
        for (int cap : new int[] {0, 1, 2, 5, 300, -1}) {
            DepthController depth = new DepthController(cap);
            int most = cap < 0 ? DepthController.MAX : cap;
            for (int i = 0; i < 2000; i++) {
                assertTrue(depth.window() >= Math.min(most, DepthController.START));
                assertTrue(depth.window() <= most);
                depth.claimed(random.nextInt(4) == 0, random.nextBoolean(), random.nextInt(9));
            }
        }
    }

    @Test
    void fewBytesMayBeAheadWhateverTheWindow() {
        DepthController depth = new DepthController(-1);
        assertTrue(depth.admits(DepthController.START, DepthController.START_BYTES - 1));
        assertFalse(depth.admits(DepthController.START, DepthController.START_BYTES));
        assertFalse(depth.admits(DepthController.START_JOBS, 0), "small jobs cost requests");
        assertTrue(depth.admits(DepthController.START - 1, Long.MAX_VALUE), "the window counts jobs");
        assertFalse(new DepthController(3).admits(3, 0), "a fixed depth holds");
        assertFalse(new DepthController(0).admits(0, 0), "off is off");
    }

    @Test
    void countsClaimsThatDidNotWait() {
        DepthController depth = new DepthController(-1);
        assertEquals(0, depth.calm());
        for (int i = 1; i < 3 * DepthController.CALM_CLAIMS; i++) {
            depth.claimed(false, false, 0);
            assertEquals(i, depth.calm(), "also when the window has shrunk");
        }
        depth.claimed(true, true, 0);
        assertEquals(0, depth.calm(), "whatever it waited for");
    }

    private static DepthController ramped(int cap) {
        DepthController depth = new DepthController(cap);
        for (int i = 0; i < 5; i++) {
            depth.claimed(true, false, 0);
        }
        return depth;
    }
}
