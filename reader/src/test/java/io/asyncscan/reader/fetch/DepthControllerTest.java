// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DepthControllerTest {
    @Test
    void rampsUpByConsumption() {
        DepthController depth = new DepthController(-1);
        assertEquals(2, depth.window());
        for (int expected : new int[] {4, 8, 16, 32}) {
            depth.claimed(false);
            assertEquals(expected, depth.window());
        }
        depth.claimed(false);
        assertEquals(32, depth.window(), "past the ramp it takes need to grow");
        depth.claimed(true);
        assertEquals(64, depth.window());
    }

    @Test
    void shrinksSlowlyWhereDecodingIsTheBottleneck() {
        DepthController depth = ramped(-1);
        for (int i = 0; i < DepthController.CALM_CLAIMS - 1; i++) {
            depth.claimed(false);
        }
        assertEquals(32, depth.window());
        depth.claimed(false);
        assertEquals(31, depth.window());
        for (int i = 0; i < 1000; i++) {
            depth.claimed(false);
        }
        assertEquals(DepthController.START, depth.window(), "never below where it started");
    }

    @Test
    void waitingRestartsTheCalm() {
        DepthController depth = ramped(-1);
        for (int i = 0; i < DepthController.CALM_CLAIMS - 1; i++) {
            depth.claimed(false);
        }
        depth.claimed(true);
        depth.claimed(false);
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
                depth.claimed(random.nextInt(4) == 0);
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

    private static DepthController ramped(int cap) {
        DepthController depth = new DepthController(cap);
        for (int i = 0; i < DepthController.RAMP_CLAIMS; i++) {
            depth.claimed(false);
        }
        return depth;
    }
}
