// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.asyncscan.examples.bench.MemoryLimits.Heap;
import io.asyncscan.examples.bench.MemoryLimits.Limit;
import io.asyncscan.examples.cli.UserError;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryLimitsTest {
    @Test
    void takesAHalfAndAQuarterAndSearchesTheSmallest() throws Exception {
        MemoryLimits limits = new MemoryLimits(MemoryLimits.parse("smallest,plenty,quarter,half"), 4096, 0);
        assertEquals(
                List.of(
                        new Heap(Limit.PLENTY, 4096),
                        new Heap(Limit.HALF, 2048),
                        new Heap(Limit.QUARTER, 1024),
                        new Heap(Limit.SMALLEST, 450)),
                limits.heaps(heap -> true));
    }

    @Test
    void searchesNothingThatIsGivenOrNotAskedFor() throws Exception {
        SmallestHeap.Attempt none = heap -> fail("tried " + heap);
        assertEquals(
                List.of(new Heap(Limit.SMALLEST, 470)),
                new MemoryLimits(MemoryLimits.parse("smallest"), 2048, 470).heaps(none));
        assertEquals(
                List.of(new Heap(Limit.HALF, 1024)), new MemoryLimits(MemoryLimits.parse("half"), 2048, 0).heaps(none));
    }

    @Test
    void namesTheLimitsThereAre() {
        assertThrows(UserError.class, () -> MemoryLimits.parse("plenty,third"));
    }
}
