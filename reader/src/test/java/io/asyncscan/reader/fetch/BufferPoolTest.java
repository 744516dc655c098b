// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.ByteRange;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private static final int KIB = 1 << 10;

    @Test
    void classesWasteAnEighthAndFillRegions() {
        Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            int length = 1 + random.nextInt(FetchJob.MAX_SEGMENT);
            int capacity = BufferPool.capacity(length);
            assertTrue(
                    capacity >= length && capacity - length <= (length + BufferPool.HEADER) / 8,
                    length + " in " + capacity);
            assertEquals(capacity, BufferPool.capacity(capacity), "a class is its own");
        }
        assertEquals(100, BufferPool.capacity(100), "small ones are exact");
        int region = 2 << 20;
        assertEquals(region, BufferPool.capacity(region - 1000) + BufferPool.HEADER, "a region and no more");
        assertEquals(region - BufferPool.HEADER, BufferPool.capacity(region - BufferPool.HEADER));
        assertTrue(BufferPool.capacity(Integer.MAX_VALUE - 8) >= Integer.MAX_VALUE - 8);
    }

    @Test
    void usesWhatCameBack() {
        BufferPool pool = new BufferPool(1 << 20);
        byte[] first = pool.take(100 * KIB);
        assertNotSame(first, pool.take(100 * KIB));
        pool.give(first);
        assertEquals(first.length, pool.free());
        assertNotSame(first, pool.take(200 * KIB), "of another class");
        assertSame(first, pool.take(first.length - 5));
        assertEquals(0, pool.free());
    }

    @Test
    void keepsNoMoreThanItMayAndNothingWhenTrimmed() {
        BufferPool pool = new BufferPool(150 * KIB);
        byte[] first = pool.take(100 * KIB);
        byte[] second = pool.take(100 * KIB);
        pool.give(first);
        pool.give(second);
        assertEquals(first.length, pool.free());
        pool.give(new byte[65 * KIB + 1]);
        pool.give(new byte[10]);
        assertEquals(first.length, pool.free(), "odd sizes and small ones are not kept");
        pool.trim();
        assertEquals(0, pool.free());
        assertNotSame(first, pool.take(100 * KIB));
        pool.give(second);
        assertEquals(second.length, pool.free(), "what comes later is kept");
        assertSame(second, pool.take(100 * KIB));
    }

    @Test
    void forgetsWhatIsFreeBeforeTheHeapIsOutOfMemory() {
        BufferPool pool = new BufferPool(1 << 20);
        pool.give(pool.take(100 * KIB));
        assertTrue(pool.free() > 0);
        // 16 GiB: more than the heap of a test.
        assertThrows(OutOfMemoryError.class, () -> assertNotNull(new long[Integer.MAX_VALUE - 8]));
        assertEquals(0, pool.free());
    }

    @Test
    void aJobThatWasDecodedGivesItsArraysBack() throws IOException {
        Work work = new Work();
        BufferPool pool = new BufferPool(1 << 20);
        FetchJob job = job(work, pool);
        assertEquals(BufferPool.capacity(60_000) + (long) BufferPool.capacity(5_000), job.bytes(), "all of the arrays");
        Fetch fetch = work.admit(job);
        assertEquals(0, pool.free());
        fetch.help(() -> false);
        fetch.check();
        byte[] bytes = fetch.segments().get(0).bytes();
        job.finish();
        assertEquals(0, pool.free(), "too small to be kept");
        assertNotNull(bytes);

        FetchJob large = large(work, pool);
        Fetch second = work.admit(large);
        second.help(() -> false);
        byte[] kept = second.segments().get(0).bytes();
        large.finish();
        assertEquals(kept.length, pool.free());
        assertSame(kept, pool.take(kept.length));
    }

    @Test
    void aJobThatFailedOrWasCancelledKeepsThem() throws IOException {
        Work work = new Work();
        BufferPool pool = new BufferPool(1 << 20);
        FetchJob cancelled = large(work, pool);
        Fetch fetch = work.admit(cancelled);
        fetch.segments().get(0).bytes();
        cancelled.finish();
        assertEquals(0, pool.free(), "a store's own threads may still write into it");

        FetchJob failing = large(work, pool);
        Fetch failed = work.admit(failing);
        work.source.onRead((read, scope) -> {
            throw new IOException("no");
        });
        failed.help(() -> false);
        assertTrue(failed.isDone());
        failing.finish();
        assertEquals(0, pool.free());
        assertNull(failing.fetch());
    }

    @Test
    void allTestsRunWithPoison() {
        assertTrue(BufferPool.POISON, "-Dasyncscan.poison=true is missing");
    }

    @Test
    void whoReadsLateSeesPoison() throws IOException {
        Work work = new Work();
        FetchJob job = large(work, new BufferPool(1 << 20, true));
        Fetch fetch = work.admit(job);
        fetch.help(() -> false);
        fetch.check();
        byte[] late = fetch.segments().get(0).bytes();
        assertEquals(work.bytes[100], late[100]);
        job.finish();
        for (byte each : late) {
            assertEquals(BufferPool.POISONED, each);
        }
    }

    @Test
    void whoWritesLateIsFound() {
        BufferPool pool = new BufferPool(1 << 20, true);
        byte[] late = pool.take(BufferPool.MIN);
        late[0] = 1;
        pool.give(late);
        late[4711] = 7;
        IllegalStateException found = assertThrows(IllegalStateException.class, () -> pool.take(BufferPool.MIN));
        assertTrue(found.getMessage().contains("byte 4711"), found.getMessage());
        assertTrue(found.getMessage().contains("after the buffer had been given back"), found.getMessage());
        assertNotSame(late, pool.take(BufferPool.MIN), "nobody gets it any more");
    }

    @Test
    void whatNobodyTouchedIsTakenAgainAndProductionDoesNotLook() {
        BufferPool poisoned = new BufferPool(1 << 20, true);
        byte[] first = poisoned.take(BufferPool.MIN);
        poisoned.give(first);
        assertSame(first, poisoned.take(BufferPool.MIN));

        BufferPool plain = new BufferPool(1 << 20, false);
        byte[] bytes = plain.take(BufferPool.MIN);
        bytes[5] = 9;
        plain.give(bytes);
        assertSame(bytes, plain.take(BufferPool.MIN));
        assertEquals(9, bytes[5], "no time is spent on filling");
    }

    private static FetchJob job(Work work, BufferPool pool) {
        List<ByteRange> ranges = List.of(new ByteRange(0, 60_000), new ByteRange(60_010, 5_000));
        return new FetchJob(work.source, work.file, ranges, 65_000, 0, work.counters).reusing(pool);
    }

    private static FetchJob large(Work work, BufferPool pool) {
        List<ByteRange> ranges = List.of(new ByteRange(0, 65_536));
        return new FetchJob(work.source, work.file, ranges, 65_536, 0, work.counters).reusing(pool);
    }
}
