// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.fetch.BufferPool;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LinePlanTest {
    private static final long GIB = 1L << 30;

    private static LinePlan plan(long length, long from, long to, long tail) {
        return LinePlan.of(new FileSplit(FileRef.listed("f", length, 1), from, to), tail, false);
    }

    @Test
    void theTailEndsWithTheFile() {
        assertEquals(ByteRange.between(10, 30), plan(100, 10, 20, 10).own());
        assertEquals(ByteRange.between(10, 22), plan(22, 10, 20, 10).own());
        assertEquals(ByteRange.between(10, 20), plan(20, 10, 20, 10).own());
        assertEquals(List.of(), plan(22, 10, 20, 10).rest());
        assertEquals(ByteRange.between(0, 0), plan(0, 0, 0, 10).own());
    }

    @Test
    void theRestDoublesWithoutGapsUpToTheLongestStep() {
        LinePlan plan = plan(3 * GIB, 0, GIB / 2, 1 << 16);
        long at = plan.own().end();
        long step = 1 << 16;
        for (ByteRange range : plan.rest()) {
            assertEquals(at, range.offset());
            assertTrue(range.length() <= LinePlan.LONGEST_STEP);
            assertEquals(step, range.length(), "at " + at);
            at = range.end();
            step = Math.min(2 * step, LinePlan.LONGEST_STEP);
        }
        assertTrue(at >= GIB / 2 + Integer.MAX_VALUE, "as far as a line may reach");
        assertTrue(
                plan.rest().size() < 50,
                "and no further than is sensible: " + plan.rest().size());
    }

    @Test
    void aShortFileHasAShortRest() {
        assertEquals(
                List.of(ByteRange.between(30, 40), ByteRange.between(40, 60), ByteRange.between(60, 65)),
                plan(65, 10, 20, 10).rest());
    }

    @Test
    void whatIsBehindTheSplitIsOverRead() {
        LinePlan plan = plan(100, 10, 20, 10);
        assertEquals(10, plan.wanted(ByteRange.between(10, 30)));
        assertEquals(5, plan.wanted(ByteRange.between(15, 30)));
        assertEquals(0, plan.wanted(ByteRange.between(20, 30)));
        assertEquals(3, plan.wanted(ByteRange.between(12, 15)));
    }

    @Test
    void theHeadEndsWhereTheSplitBegins() {
        FileRef file = FileRef.listed("f", 10 * LinePlan.HEAD, 1);
        assertEquals(
                Optional.empty(),
                LinePlan.of(new FileSplit(file, 0, 9), 1, true).head());
        assertEquals(
                Optional.of(ByteRange.between(0, 5)),
                LinePlan.of(new FileSplit(file, 5, 9), 1, true).head());
        assertEquals(
                Optional.of(ByteRange.between(0, LinePlan.HEAD)),
                LinePlan.of(new FileSplit(file, 2 * LinePlan.HEAD, 3 * LinePlan.HEAD), 1, true)
                        .head());
    }

    @Test
    void theFirstTwoRequestsAndTheLastAreCutIntoHalves() {
        Ramp ramp = new Ramp();
        long mib = 1 << 20;
        List<ByteRange> cut = ramp.apply(row(5, 2 * mib, 2 * mib, 2 * mib, 2 * mib + 1), false);
        assertEquals(List.of(mib, mib, mib, mib, 2 * mib, 2 * mib + 1), lengths(cut));
        long at = 5;
        for (ByteRange range : cut) {
            assertEquals(at, range.offset());
            at = range.end();
        }
        assertEquals(List.of(2 * mib, mib, mib + 1), lengths(ramp.apply(row(0, 2 * mib, 2 * mib + 1), true)));
        assertEquals(List.of(7L, mib), lengths(new Ramp().apply(row(0, 7, mib), true)), "short ones stay whole");
        assertEquals(List.of(), new Ramp().apply(List.of(), true));
    }

    @Test
    void requestsBecomeLongerWhileNobodyWaits() {
        int mib = 1 << 20;
        List<Integer> expected = List.of(2 * mib, 2 * mib, 4 * mib, 4 * mib, 8 * mib, 8 * mib, 8 * mib);
        List<Integer> longest = Stream.of(0, 3, 4, 7, 8, 1000, Integer.MAX_VALUE)
                .map(calm -> Ramp.longest(calm) + BufferPool.HEADER)
                .toList();
        assertEquals(expected, longest, "arrays of whole regions");
    }

    @Test
    void whatIsLeftIsCutIntoEqualParts() {
        assertEquals(new ByteRange(7, 10), Ramp.first(new ByteRange(7, 10), 10));
        assertEquals(new ByteRange(7, 6), Ramp.first(new ByteRange(7, 11), 10));
        assertEquals(new ByteRange(7, 7), Ramp.first(new ByteRange(7, 21), 10));
        assertEquals(new ByteRange(0, 1), Ramp.first(new ByteRange(0, 1), 10));
    }

    private static List<ByteRange> row(long from, long... lengths) {
        List<ByteRange> ranges = new ArrayList<>();
        long at = from;
        for (long length : lengths) {
            ranges.add(new ByteRange(at, length));
            at += length;
        }
        return ranges;
    }

    private static List<Long> lengths(List<ByteRange> ranges) {
        return ranges.stream().map(ByteRange::length).toList();
    }
}
