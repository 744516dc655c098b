// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PartitionSizesTest {
    private static final long MIB = 1 << 20;

    /** Partitions as they come out if every one can have just the size it should have. */
    private static List<Long> all(long total, int slots, long max) {
        PartitionSizes sizes = new PartitionSizes(total, slots, max, 0);
        List<Long> result = new ArrayList<>();
        long left = total;
        while (left > 0) {
            long size = Math.min(left, sizes.next());
            assertTrue(size > 0, "no progress");
            sizes.made(size);
            result.add(size);
            left -= size;
        }
        return result;
    }

    @Test
    void theExampleOfItsDocumentation() {
        List<Long> sizes =
                all(600 * MIB, 2, 128 * MIB).stream().map(size -> size / MIB).toList();
        assertEquals(List.of(128L, 128L, 128L, 108L, 54L, 32L, 22L), sizes);
    }

    @Test
    void aScanThatFitsIntoOnePartitionASlotGetsJustThat() {
        assertEquals(List.of(50 * MIB, 50 * MIB), all(100 * MIB, 2, 128 * MIB));
        assertEquals(List.of(1L, 1L, 1L), all(3, 8, 128 * MIB));
        assertEquals(List.of(), all(0, 4, 128 * MIB));
    }

    @Test
    void anUnevenCutLeavesNoSmallRestBehind() {
        PartitionSizes sizes = new PartitionSizes(49, 2, 128 * MIB, 0);
        assertEquals(25, sizes.next());
        sizes.made(24);
        assertEquals(25, sizes.next());
        sizes.made(25);
        assertEquals(1, sizes.next());
    }

    @Test
    void whatIsNotWorthCuttingStaysWhole() {
        assertEquals(4 * MIB, new PartitionSizes(3 * MIB, 2, 128 * MIB, 4 * MIB).next());
        assertEquals(1000, new PartitionSizes(3 * MIB, 1 << 20, 1000, 4 * MIB).next(), "the maximum wins");
    }

    @Test
    void neverLargerThanAllowedNeverGrowingAndNotTooMany() {
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            long total = 1 + (long) (random.nextDouble() * 4000 * MIB);
            int slots = 1 + random.nextInt(64);
            long max = 1 + (long) (random.nextDouble() * 512 * MIB) + MIB;
            List<Long> sizes = all(total, slots, max);
            assertEquals(total, sizes.stream().mapToLong(Long::longValue).sum());
            for (int s = 0; s < sizes.size(); s++) {
                assertTrue(sizes.get(s) <= max);
                assertTrue(s == 0 || sizes.get(s) <= sizes.get(s - 1), "large ones first");
            }
            long fewest = (total + max - 1) / max;
            long smallEnd = slots * (2 + max / PartitionSizes.MIN);
            assertTrue(sizes.size() <= fewest + smallEnd, sizes.size() + " for " + fewest);
        }
    }

    @Test
    void jobsLargerThanASizeDoNoHarm() {
        PartitionSizes sizes = new PartitionSizes(1000 * MIB, 2, 100 * MIB, 0);
        sizes.made(5000 * MIB);
        assertEquals(PartitionSizes.MIN, sizes.next());
        assertEquals(1, new PartitionSizes(10, 1, 0, 0).next());
    }
}
