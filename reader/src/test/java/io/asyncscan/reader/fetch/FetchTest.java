// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.ReadCancelledException;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FetchTest {
    private final Work work = new Work();

    @Test
    void theLastRequestCompletesTheFetch() throws IOException {
        FetchJob job = work.job(0, 1000, 3, 50);
        Fetch fetch = work.admit(job);
        assertEquals(150, job.bytes());
        for (int i = 0; i < 3; i++) {
            assertFalse(fetch.isDone());
            assertTrue(fetch.tasks().get(i).runIfNew());
            assertFalse(fetch.tasks().get(i).runIfNew(), "runs once");
        }
        assertTrue(fetch.isDone());
        fetch.check();
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(
                    Arrays.copyOfRange(work.bytes, 1000 + i * 60, 1050 + i * 60),
                    fetch.segments().get(i).bytes());
        }
        assertTrue(job.release());
        assertEquals(0, work.executor.inUse());
        assertTrue(job.isWaiting());
        assertTrue(job.release(), "nothing left to release");
    }

    @Test
    void aLongBodyIsReportedPieceByPiece() throws IOException {
        int length = 2 * FetchTask.PIECE + 100;
        List<Integer> pieces = new ArrayList<>();
        ByteSource inSteps = new ByteSource() {
            @Override
            public void read(FileRef file, long offset, byte[] target, int at, int count, ReadScope scope) {
                scope.requestSent();
                int step = FetchTask.PIECE / 2;
                scope.received(step);
                // Another attempt goes on behind what the first one brought.
                scope.retried(ReadScope.IOFault.TRANSIENT);
                scope.requestSent();
                for (int done = step; done < count; done += step) {
                    scope.received(Math.min(step, count - done));
                }
            }

            @Override
            public FileTail readTail(FileRef file, int count, ReadScope scope) {
                throw new UnsupportedOperationException("nobody reads a tail here");
            }
        };
        FetchJob job = new FetchJob(inSteps, work.file, List.of(new ByteRange(0, length)), length, 0, work.counters);
        FetchTask task = work.admit(job).tasks().get(0);
        assertTrue(task.runWatched(watched -> {
            assertTrue(watched.pieceNanos() > 0);
            pieces.add(watched.pieceBytes());
        }));
        assertEquals(List.of(FetchTask.PIECE), pieces, "a piece is of one attempt");
        assertEquals(FetchTask.PIECE / 2 + 100, task.pieceBytes(), "what came behind the last one that was reported");
        assertFalse(task.atOnce());
        assertFalse(task.runWatched(watched -> pieces.add(0)), "runs once");
        assertEquals(1, pieces.size());
        job.release();
    }

    @Test
    void touchingRangesShareABufferUpToItsLongest() {
        int half = FetchJob.MAX_SEGMENT / 2;
        FetchJob job = new FetchJob(
                work.source,
                work.file,
                List.of(
                        new ByteRange(0, half),
                        new ByteRange(half, half),
                        new ByteRange(2L * half, 5),
                        new ByteRange(2L * half + 6, 4)),
                0,
                0,
                work.counters);
        assertEquals(
                List.of(new ByteRange(0, 2L * half), new ByteRange(2L * half, 5), new ByteRange(2L * half + 6, 4)),
                job.buffers());
    }

    @Test
    void requestsOfOneBufferFillTheirPartOfIt() throws IOException {
        FetchJob job = new FetchJob(
                work.source, work.file, List.of(new ByteRange(10, 5), new ByteRange(15, 7)), 12, 0, work.counters);
        Fetch fetch = work.admit(job);
        fetch.help(() -> false);
        fetch.check();
        assertEquals(1, fetch.segments().size());
        assertArrayEquals(
                Arrays.copyOfRange(work.bytes, 10, 22), fetch.segments().get(0).bytes());
    }

    @Test
    void aJobOfNothingIsCompleteAtOnce() throws IOException {
        FetchJob job = new FetchJob(work.source, work.file, List.of(), 0, 0, work.counters);
        Fetch fetch = work.admit(job);
        assertTrue(fetch.isDone());
        fetch.check();
        assertTrue(job.release());
    }

    @Test
    void anErrorCompletesTheFetchAndStopsItsOtherRequests() {
        FetchJob job = work.job(0, 0, 4, 10);
        IOException failure = new IOException("no bytes today");
        work.source.onRead((read, scope) -> {
            throw failure;
        });
        Fetch fetch = work.admit(job);
        fetch.tasks().get(2).runIfNew();
        assertTrue(fetch.isDone());
        assertSame(failure, assertThrows(IOException.class, fetch::check));
        assertEquals(1, work.source.reads().size(), "the others never start");
        assertTrue(job.release());
        assertEquals(0, work.executor.inUse());
    }

    @Test
    void anErrorIsKnownBeforeADeafSiblingHasEnded() throws InterruptedException {
        FetchJob job = work.job(0, 0, 2, 10);
        Gate gate = new Gate(1);
        work.source.onRead((read, scope) -> {
            if (read.range().offset() > 0) {
                throw new IOException("no bytes today");
            }
            gate.before(read, scope);
        });
        Fetch fetch = work.admit(job);
        Thread deaf = new Thread(() -> fetch.tasks().get(0).runIfNew());
        deaf.start();
        gate.awaitReached();
        fetch.tasks().get(1).runIfNew();
        assertTrue(fetch.isDone(), "the task need not wait for bytes it cannot use");
        assertThrows(IOException.class, fetch::check);
        assertFalse(job.release(), "the sibling still writes");
        assertEquals(20, work.executor.inUse());
        gate.open();
        deaf.join();
        assertEquals(0, work.executor.inUse());
    }

    @Test
    void whatAFetchFailsWithIsAnIOExceptionOrAnError() {
        work.source.onRead((read, scope) -> {
            throw new IllegalStateException("broken client");
        });
        Fetch runtime = work.admit(work.job(0));
        runtime.help(() -> false);
        IOException wrapped = assertThrows(IOException.class, runtime::check);
        assertTrue(wrapped.getMessage().contains(work.file.path()), wrapped.getMessage());
        assertTrue(wrapped.getCause() instanceof IllegalStateException);
        work.source.onRead((read, scope) -> {
            throw new NoClassDefFoundError("gone");
        });
        Fetch error = work.admit(work.job(1));
        error.help(() -> false);
        assertThrows(NoClassDefFoundError.class, error::check);
    }

    @Test
    void cancelledBeforeItStartsItNeverAsksTheStore() {
        FetchJob job = work.job(0, 0, 3, 10);
        Fetch fetch = work.admit(job);
        assertTrue(job.release());
        assertTrue(fetch.isDone());
        assertThrows(ReadCancelledException.class, fetch::check);
        fetch.help(() -> false);
        assertEquals(List.of(), work.source.reads());
        assertEquals(0, work.executor.inUse());
    }

    @Test
    void memoryStaysAccountedUntilALateRequestHasEnded() throws InterruptedException {
        FetchJob job = work.job(0);
        Gate gate = new Gate(1);
        work.source.onRead(gate);
        Fetch late = work.admit(job);
        Thread thread = new Thread(() -> late.tasks().get(0).runIfNew());
        thread.start();
        gate.awaitReached();
        byte[] lateBuffer = late.segments().get(0).bytes();
        assertFalse(job.release(), "a request still writes");
        assertEquals(100, work.executor.inUse());
        assertNull(job.fetch());

        work.source.onRead((read, scope) -> {});
        Fetch second = work.admit(job);
        second.help(() -> false);
        byte[] buffer = second.segments().get(0).bytes();
        assertNotSame(lateBuffer, buffer, "the late request cannot write here");
        byte[] before = buffer.clone();
        gate.open();
        thread.join();
        assertArrayEquals(before, buffer);
        assertEquals(100, work.executor.inUse(), "only the second fetch is left");
        job.finish();
        assertEquals(0, work.executor.inUse());
        work.budget.close();
        assertEquals(0, work.memory.used());
    }

    @Test
    void bytesThatWereDroppedAreNeverReadAsZeros() {
        FetchJob job = work.job(0);
        Fetch fetch = work.admit(job);
        fetch.help(() -> false);
        Segment segment = fetch.segments().get(0);
        job.release();
        assertThrows(IllegalStateException.class, segment::bytes);
    }

    @Test
    void aFinishedJobIsNotAdmittedAgain() {
        FetchJob job = work.job(0);
        job.finish();
        assertFalse(job.isWaiting());
        assertThrows(
                ReadCancelledException.class,
                () -> job.admit(work.budget.tryReserve(job.bytes()).orElseThrow()));
        assertEquals(0, work.executor.inUse(), "the lease it was offered is closed");
    }

    @Test
    void aRunningReadIsAbortedExactlyOnce() throws InterruptedException {
        for (int round = 0; round < 500; round++) {
            AtomicInteger aborts = new AtomicInteger();
            CountDownLatch aborted = new CountDownLatch(1);
            work.source.onRead((read, scope) -> {
                scope.onCancel(() -> {
                    aborts.incrementAndGet();
                    aborted.countDown();
                });
                Gate.await(aborted, "nobody aborted the read");
                scope.clearOnCancel();
                throw new ReadCancelledException("aborted");
            });
            FetchJob job = work.job(0);
            Fetch fetch = work.admit(job);
            FetchTask task = fetch.tasks().get(0);
            Thread reader = new Thread(task::runIfNew);
            Thread one = new Thread(task::cancel);
            Thread two = new Thread(job::release);
            reader.start();
            one.start();
            two.start();
            one.join();
            two.join();
            reader.join();
            assertTrue(aborts.get() <= 1, "aborted twice");
            assertTrue(fetch.isDone());
            assertEquals(0, work.executor.inUse());
        }
    }

    @Test
    void nothingIsAbortedAfterTheReadHasEnded() {
        AtomicInteger aborts = new AtomicInteger();
        work.source.onRead((read, scope) -> scope.onCancel(aborts::incrementAndGet));
        Fetch fetch = work.admit(work.job(0));
        fetch.help(() -> false);
        fetch.tasks().get(0).cancel();
        assertEquals(0, aborts.get(), "the abort of an ended read would hit the thread's next one");
    }

    @Test
    void anAbortThatThrowsLosesNoMemory() throws InterruptedException {
        Gate gate = new Gate(2);
        work.source.onRead((read, scope) -> {
            scope.onCancel(() -> {
                throw new IllegalStateException("cannot abort");
            });
            gate.before(read, scope);
            scope.clearOnCancel();
        });
        FetchJob job = work.job(0, 0, 2, 10);
        Fetch fetch = work.admit(job);
        List<Thread> threads = new ArrayList<>();
        for (FetchTask task : fetch.tasks()) {
            Thread thread = new Thread(task::runIfNew);
            thread.start();
            threads.add(thread);
        }
        gate.awaitReached();
        job.release();
        gate.open();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, work.executor.inUse());
    }

    @Test
    void whateverTheOrderTheLeaseIsClosedOnce() throws InterruptedException {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            int requests = 1 + random.nextInt(4);
            boolean failing = random.nextInt(3) == 0;
            work.source.onRead((read, scope) -> {
                if (failing && read.range().offset() == 0) {
                    throw new IOException("fails");
                }
            });
            FetchJob job = work.job(0, 0, requests, 10);
            Fetch fetch = work.admit(job);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int kind = random.nextInt(3);
                FetchTask some = fetch.tasks().get(random.nextInt(requests));
                threads.add(new Thread(() -> {
                    switch (kind) {
                        case 0 -> fetch.help(() -> false);
                        case 1 -> some.cancel();
                        default -> some.runIfNew();
                    }
                }));
            }
            threads.forEach(Thread::start);
            job.finish();
            for (Thread thread : threads) {
                thread.join();
            }
            assertTrue(fetch.isDone(), "seed " + seed);
            assertEquals(0, work.executor.inUse(), "seed " + seed);
            work.budget.settle();
            assertEquals(0, work.memory.used(), "seed " + seed);
        }
    }
}
