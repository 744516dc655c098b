// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangePlannerTest {
    private static final long MIB = 1 << 20;

    private static ByteRange mib(double from, double to) {
        return ByteRange.between((long) (from * MIB), (long) (to * MIB));
    }

    private static RangePolicy policy(int partSize, long gap, double overRead) {
        return new RangePolicy(partSize, gap, overRead);
    }

    @Test
    void firstRequestsAreSpreadWhereThatPays() {
        long k = 1 << 10;
        // Up to a megabyte one request is as fast; then two, three, at most four, equal parts.
        assertEquals(List.of(new ByteRange(7, 1023 * k)), RangePlanner.spread(List.of(new ByteRange(7, 1023 * k))));
        assertEquals(
                List.of(new ByteRange(7, 512 * k), new ByteRange(7 + 512 * k, 512 * k)),
                RangePlanner.spread(List.of(new ByteRange(7, 1024 * k))));
        assertEquals(3, RangePlanner.spread(List.of(new ByteRange(0, 2047 * k))).size());
        List<ByteRange> spread = RangePlanner.spread(List.of(new ByteRange(0, 8192 * k), new ByteRange(9000 * k, 10)));
        assertEquals(5, spread.size());
        assertEquals(new ByteRange(9000 * k, 10), spread.get(4));
        long at = 0;
        for (ByteRange part : spread.subList(0, 4)) {
            assertEquals(new ByteRange(at, 2048 * k), part);
            at = part.end();
        }
        assertEquals(List.of(), RangePlanner.spread(List.of()));
    }

    @Test
    void plansTheExampleOfItsDocumentation() {
        List<ByteRange> wanted = List.of(mib(9, 27), mib(0, 2), mib(2, 3), mib(3.25, 4), mib(4.75, 5));
        assertEquals(
                List.of(mib(0, 5), mib(9, 15), mib(15, 21), mib(21, 27)),
                RangePlanner.plan(wanted, policy(8 << 20, MIB, 0.2)));
    }

    @Test
    void mergesWhatTouchesOrOverlapsWithoutAnyAllowance() {
        RangePolicy strict = policy(100, 0, 0);
        assertEquals(
                List.of(new ByteRange(0, 30)),
                RangePlanner.plan(
                        List.of(
                                new ByteRange(10, 10),
                                new ByteRange(0, 10),
                                new ByteRange(15, 15),
                                new ByteRange(4, 2)),
                        strict));
        assertEquals(
                List.of(new ByteRange(0, 10), new ByteRange(11, 9)),
                RangePlanner.plan(List.of(new ByteRange(0, 10), new ByteRange(11, 9)), strict));
        assertEquals(List.of(), RangePlanner.plan(List.of(new ByteRange(5, 0)), strict));
        assertEquals(List.of(), RangePlanner.plan(List.of(), strict));
    }

    @Test
    void spendsTheAllowanceOnTheSmallestGaps() {
        // Gaps of 5, 3, 4 between four ranges of 10: 20 % of 52 is 10.4, so 3 and 4 fit and 5 does not.
        List<ByteRange> wanted =
                List.of(new ByteRange(0, 10), new ByteRange(15, 10), new ByteRange(28, 10), new ByteRange(42, 10));
        assertEquals(
                List.of(new ByteRange(0, 10), new ByteRange(15, 37)), RangePlanner.plan(wanted, policy(100, 5, 0.2)));
        assertEquals(List.of(new ByteRange(0, 52)), RangePlanner.plan(wanted, policy(100, 5, 0.24)));
    }

    @Test
    void readsThroughNoGapThatSavesNoRequest() {
        // 8 + 1 + 8 MiB in parts of 8 would be three requests in place of two.
        List<ByteRange> wanted = List.of(mib(0, 8), mib(9, 17));
        assertEquals(wanted, RangePlanner.plan(wanted, policy(8 << 20, 2 * MIB, 0.2)));
        // 9 is two parts anyway: the gap goes where there is room in the second.
        assertEquals(
                3,
                RangePlanner.plan(List.of(mib(0, 9), mib(9.5, 18)), policy(8 << 20, 2 * MIB, 0.2))
                        .size());
    }

    @Test
    void cutsChunksBeyondTwoGibibytesIntoEqualParts() {
        ByteRange huge = new ByteRange(4, (3L << 30) + 1);
        List<ByteRange> parts = RangePlanner.plan(List.of(huge), policy(8 << 20, 0, 0.2));
        assertEquals(385, parts.size());
        for (ByteRange part : parts) {
            assertTrue(Math.abs(part.length() - huge.length() / 385) <= 1, part.toString());
        }
        assertEquals(huge.end(), parts.get(384).end());
    }

    @Test
    void aHundredThousandRangesTakeNoTime() {
        List<ByteRange> wanted = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            wanted.add(new ByteRange(i * 1000L, 900));
        }
        List<ByteRange> plan = RangePlanner.plan(wanted, policy(8 << 20, 1000, 0.2));
        assertTrue(plan.size() <= 24, "requests: " + plan.size());
    }

    /** Against a bit set: every wanted byte is fetched once, and the rules hold, whatever is asked for. */
    @Test
    void holdsItsPromisesForAnyInput() {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            RangePolicy policy = policy(1 + random.nextInt(300), random.nextInt(100), random.nextInt(11) / 10.0);
            List<ByteRange> wanted = new ArrayList<>();
            BitSet bytes = new BitSet();
            int count = random.nextInt(30);
            for (int i = 0; i < count; i++) {
                int offset = random.nextInt(2000);
                int length = random.nextInt(4) == 0 ? random.nextInt(600) : random.nextInt(40);
                wanted.add(new ByteRange(offset, length));
                bytes.set(offset, offset + length);
            }
            String input = "seed " + seed + " " + policy + " " + wanted;
            List<ByteRange> plan = RangePlanner.plan(wanted, policy);
            check(plan, bytes, policy, input);
            assertTrue(
                    plan.size()
                            <= RangePlanner.plan(wanted, policy(policy.partSize(), 0, 0))
                                    .size(),
                    input);
            Collections.shuffle(wanted, random);
            assertEquals(plan, RangePlanner.plan(wanted, policy), input);
        }
    }

    private static void check(List<ByteRange> plan, BitSet wanted, RangePolicy policy, String input) {
        BitSet fetched = new BitSet();
        long end = -1;
        for (ByteRange part : plan) {
            assertTrue(part.offset() >= end, input);
            assertTrue(part.length() >= 1 && part.length() <= policy.partSize(), input);
            end = part.end();
            fetched.set((int) part.offset(), (int) part.end());
        }
        int total = fetched.cardinality();
        BitSet missing = (BitSet) wanted.clone();
        missing.andNot(fetched);
        assertTrue(missing.isEmpty(), input);
        fetched.andNot(wanted);
        assertTrue(fetched.cardinality() <= policy.maxOverRead() * total + 1e-9, input);
        for (int from = fetched.nextSetBit(0); from >= 0; ) {
            int to = fetched.nextClearBit(from);
            assertTrue(to - from <= policy.maxCoalesceGap(), input);
            from = fetched.nextSetBit(to);
        }
    }

    @Test
    void estimatesTheGapFromLatencyAndBandwidth() {
        assertEquals(1_800_000, StoreEstimate.forScheme("s3a").coalesceGap());
        assertEquals(200_000, StoreEstimate.forScheme("hdfs").coalesceGap());
        assertEquals(64_000, StoreEstimate.forScheme("file").coalesceGap());
        assertEquals(new RangePolicy(8 << 20, 1_800_000, 0.2), RangePolicy.forStore(StoreEstimate.forScheme("abfss")));
    }

    @Test
    void rejectsWhatMakesNoSense() {
        assertThrows(IllegalArgumentException.class, () -> new ByteRange(-1, 1));
        assertThrows(IllegalArgumentException.class, () -> new ByteRange(1, -1));
        assertThrows(IllegalArgumentException.class, () -> new ByteRange(2, Long.MAX_VALUE - 1));
        assertThrows(IllegalArgumentException.class, () -> policy(0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> policy(1, -1, 0));
        assertThrows(IllegalArgumentException.class, () -> policy(1, 0, 1.1));
        assertThrows(IllegalArgumentException.class, () -> policy(1, 0, Double.NaN));
    }
}
