// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class HeapRoomTest {
    @Test
    void keepsAShareForTheCollector() {
        assertEquals(850, HeapRoom.room(1000, 0));
        assertEquals(50, HeapRoom.room(1000, 800));
        assertEquals(0, HeapRoom.room(1000, 900));
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
