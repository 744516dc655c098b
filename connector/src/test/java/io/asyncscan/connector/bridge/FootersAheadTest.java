// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.parquet.ParquetFooter;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FootersAheadTest {
    private static final FileRef FIRST = file("t/part-0", 1 << 20);

    private final Ends ends = new Ends();

    private static FileRef file(String path, long length) {
        return FileRef.listed("s3a://b/" + path, length, 1);
    }

    private static List<FileRef> others(int count, long length) {
        List<FileRef> files = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            files.add(file("t/part-" + i, length));
        }
        return files;
    }

    @Test
    void readsAllAtOnceAndGivesEachAwayOnce() throws Exception {
        List<FileRef> others = others(63, 1 << 20);
        ends.expected = new CountDownLatch(63);
        FootersAhead ahead = FootersAhead.start(ends, FIRST, others);
        // None is answered before all were asked.
        assertTrue(ends.expected.await(30, TimeUnit.SECONDS));
        assertFalse(ends.asked.contains(FIRST), "that one is the caller's");
        ends.answer.countDown();
        for (FileRef file : others) {
            ScanSupport.InferredFrom end = ahead.take(file).orElseThrow();
            assertEquals(file, end.tail().file());
            assertEquals(ParquetFooter.firstGuess(file.length()), end.tail().bytes().length);
            assertEquals(1, end.requests());
            assertTrue(ahead.take(file).isEmpty());
        }
        ScanSupport.InferredFrom first = new ScanSupport.InferredFrom(new FileTail(FIRST, new byte[1]), 1);
        ahead.add(FIRST, first);
        assertSame(first, ahead.take(FIRST).orElseThrow());
        assertTrue(ahead.take(FIRST).isEmpty());
    }

    @Test
    void whatFailsIsReadAgainByWhoeverNeedsIt() {
        ends.answer.countDown();
        ends.missing = Set.of("s3a://b/t/part-2");
        FootersAhead ahead = FootersAhead.start(ends, FIRST, others(3, 1 << 20));
        assertTrue(ahead.take(file("t/part-1", 1 << 20)).isPresent());
        assertTrue(ahead.take(file("t/part-2", 1 << 20)).isEmpty());
        assertTrue(ahead.take(file("t/part-3", 1 << 20)).isPresent());
    }

    @Test
    void readsNothingThatAQueryMayNotNeed() {
        ends.answer.countDown();
        List<FileRef> partitioned = List.of(file("t/d=1/part-1", 1 << 20), file("t/d=2/part-2", 1 << 20));
        List<FileRef> tooMany = others(FootersAhead.MAX_FILES, 1 << 20);
        List<FileRef> small = others(3, ParquetFooter.WHOLE_FILE);
        List<FileRef> longFooters = others(9, 1 << 30);
        for (List<FileRef> others : List.of(partitioned, tooMany, small, longFooters, List.<FileRef>of())) {
            FootersAhead ahead = FootersAhead.start(ends, FIRST, others);
            for (FileRef file : others) {
                assertTrue(ahead.take(file).isEmpty());
            }
        }
        assertEquals(Set.of(), ends.asked);
    }

    @Test
    void anInterruptEndsTheWait() {
        FootersAhead ahead = FootersAhead.start(ends, FIRST, others(1, 1 << 20));
        Thread.currentThread().interrupt();
        assertThrows(IllegalStateException.class, () -> ahead.take(file("t/part-1", 1 << 20)));
        assertTrue(Thread.interrupted(), "the interrupt stays");
        ends.answer.countDown();
    }

    /** Ends of files, answered when the test says so. */
    private static final class Ends implements ByteSource {
        private final Set<FileRef> asked = ConcurrentHashMap.newKeySet();
        private final CountDownLatch answer = new CountDownLatch(1);
        private CountDownLatch expected = new CountDownLatch(0);
        private Set<String> missing = Set.of();

        @Override
        public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
            asked.add(file);
            expected.countDown();
            try {
                if (!answer.await(30, TimeUnit.SECONDS)) {
                    throw new IOException("not answered in time");
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (missing.contains(file.path())) {
                throw new IOException("no answer");
            }
            scope.requestSent();
            return new FileTail(file, new byte[length]);
        }
    }
}
