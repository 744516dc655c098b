// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MemoryTableTest {
    private static final long MB = 1 << 20;

    private static final MemoryLimits.Heap HEAP = new MemoryLimits.Heap(MemoryLimits.Limit.QUARTER, 512);

    private final MemoryTable table = new MemoryTable();

    private static CellFigures figures(double seconds, long readAhead, String answer) {
        return new CellFigures(
                List.of(seconds, seconds + 1),
                11,
                new CellFigures.Work(seconds + 0.5, 0.25, 64 * MB, 8 * MB),
                new CellFigures.Memory(300 * MB, readAhead, 38 * MB),
                0,
                new TreeMap<>(Map.of("Q1", answer)));
    }

    private void add(MemoryReader reader, int died, CellFigures... figures) {
        table.add(new MemoryTable.Row(HEAP, reader, List.of(figures), died));
    }

    @Test
    void bringsJvmsTogether() {
        add(MemoryReader.ASYNCSCAN, 0, figures(4, 10 * MB, "4:ab"), figures(6, 20 * MB, "4:ab"));
        String[] cells = table.toString().lines().toList().get(2).strip().split(" +");
        // Rounds of 4, 5, 6, 7 seconds; of two in the middle the slower.
        assertEquals(
                List.of(
                        "quarter",
                        "512",
                        "asyncscan",
                        "6.00",
                        "4.00",
                        "7.00",
                        // 22 in 22 seconds.
                        "60.0",
                        "0.50",
                        "20.0",
                        "38.0",
                        "300.0",
                        "0.125",
                        "32.0",
                        "4.0",
                        "0"),
                List.of(cells));
        assertEquals(List.of(), table.faults());
    }

    @Test
    void saysWhenReadAheadHeldMoreThanItsBudget() {
        add(MemoryReader.ASYNCSCAN, 0, figures(4, 38 * MB, "4:ab"));
        assertEquals(List.of(), table.faults());
        add(MemoryReader.ASYNCSCAN, 0, figures(4, 38 * MB + 1, "4:ab"));
        assertEquals(
                List.of("asyncscan within 512 MB: read-ahead held 39845889 bytes, its budget is 39845888."),
                table.faults());
    }

    @Test
    void saysWhenAnswersDiffer() {
        add(MemoryReader.SPARK, 0, figures(4, 0, "4:ab"));
        add(MemoryReader.ASYNCSCAN, 0, figures(4, 0, "4:cd"));
        assertEquals(List.of("The answers differ: {Q1=4:ab} and {Q1=4:cd}."), table.faults());
    }

    @Test
    void showsAJvmThatDied() {
        add(MemoryReader.SPARK, 1);
        assertTrue(table.toString().lines().toList().get(2).matches("quarter +512 +Spark's own( +-){11} +1"));
        assertEquals(List.of("Spark's own within 512 MB: 1 JVMs did not end well, 0 queries failed."), table.faults());
    }
}
