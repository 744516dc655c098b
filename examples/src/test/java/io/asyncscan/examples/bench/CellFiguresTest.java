// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CellFiguresTest {
    private static final CellFigures FIGURES = new CellFigures(
            List.of(1.25, 12.5),
            8,
            new CellFigures.Work(20.125, 0.5, 3L << 30, 1L << 20),
            new CellFigures.Memory(400_000_000, 9_000_000, 38_000_000),
            1,
            new TreeMap<>(Map.of("Q1", "4:0123456789ab", "Q18", "7:aa,8:bb")));

    @Test
    void comesBackFromItsLine() {
        assertEquals(Optional.of(FIGURES), CellFigures.find(List.of(FIGURES.toLine())));
    }

    @Test
    void isFoundAmongOtherOutput() {
        assertEquals(
                Optional.of(FIGURES),
                CellFigures.find(List.of("WARN something", "warm-up: 3.10 s", FIGURES.toLine(), "bye")));
    }

    @Test
    void isNotThereIfTheChildDidNotGetThatFar() {
        assertEquals(Optional.empty(), CellFigures.find(List.of("Terminating due to java.lang.OutOfMemoryError")));
    }

    @Test
    void namesWhatALineLacks() {
        String line = FIGURES.toLine().replaceFirst(" gc=[0-9.]+", "");
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> CellFigures.find(List.of(line)));
        assertTrue(e.getMessage().startsWith("no gc in"), e.getMessage());
    }
}
