// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class HeapRoomTest {
    @Test
    void keepsAShareForTheCollector() {
        assertEquals(750, HeapRoom.room(1000, 0));
        assertEquals(50, HeapRoom.room(1000, 700));
        assertEquals(0, HeapRoom.room(1000, 800));
    }

    @Test
    void livingIsWhatSurvived() {
        assertEquals(30, HeapRoom.live("PS Old Gen", 30, 90));
        assertEquals(20, HeapRoom.live("G1 Survivor Space", 30, 20), "regions were freed since then");
        assertEquals(0, HeapRoom.live("G1 Eden Space", 0, 90));
    }

    @Test
    void livingIsWhatIsInUseOfWhatIsSeldomCollected() {
        assertEquals(90, HeapRoom.live("G1 Old Gen", 0, 90));
        assertEquals(90, HeapRoom.live("G1 Old Gen", 30, 90));
    }

    @Test
    void seesWhatLives() {
        HeapRoom heap = new HeapRoom();
        System.gc();
        long before = heap.bytes();
        assertTrue(before > 0, "nothing left of " + Runtime.getRuntime().maxMemory());
        int length = (int) Math.min(64 << 20, before / 4);
        long less = roomBeside(heap, new byte[length]);
        assertTrue(less < before - length / 2, "from " + before + " to " + less + " with " + length);
        System.gc();
        assertTrue(heap.bytes() > less + length / 2, "from " + less + " to " + heap.bytes() + " without " + length);
    }

    private static long roomBeside(HeapRoom heap, byte[] held) {
        try {
            System.gc();
            return heap.bytes();
        } finally {
            Reference.reachabilityFence(held);
        }
    }
}
