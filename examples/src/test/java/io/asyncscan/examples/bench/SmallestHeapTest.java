// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SmallestHeapTest {
    private final List<Integer> tried = new ArrayList<>();

    private int find(int lowest, int highest, int step, int needed) throws Exception {
        return SmallestHeap.find(lowest, highest, step, heap -> {
            tried.add(heap);
            return heap >= needed;
        });
    }

    @Test
    void triesTheLowestFirstAndStopsThere() throws Exception {
        assertEquals(450, find(450, 1024, 16, 300));
        assertEquals(List.of(450), tried);
    }

    @Test
    void comesWithinAStepOfEveryAnswer() throws Exception {
        for (int needed = 451; needed <= 512; needed++) {
            int found = find(450, 512, 16, needed);
            assertTrue(found >= needed && found - needed < 16, found + " for " + needed);
        }
    }

    @Test
    void isExactWithAStepOfOne() throws Exception {
        assertEquals(487, find(450, 512, 1, 487));
    }

    @Test
    void takesTheHighestAsKnown() throws Exception {
        assertEquals(512, find(450, 512, 16, 512));
        assertTrue(!tried.contains(512), tried.toString());
    }

    @Test
    void refusesWhatIsNoRange() {
        assertThrows(IllegalArgumentException.class, () -> find(512, 450, 16, 500));
        assertThrows(IllegalArgumentException.class, () -> find(450, 512, 0, 500));
    }
}
