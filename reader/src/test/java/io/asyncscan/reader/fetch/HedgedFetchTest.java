// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ReadCancelledException;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are sent a second time. */
@Timeout(60)
class HedgedFetchTest {
    /** Enough for a buffer that is worth pooling. */
    private static final int LENGTH = 2 * BufferPool.MIN;

    private final Work work = new Work();
    private final byte[] bytes = new byte[3 * LENGTH];
    private final FileRef file = work.source.add("mem://files/large", bytes);
    private final BufferPool buffers = new BufferPool(1 << 20);

    /** What a read meets, in the order the reads come. */
    private final List<MemorySource.Hook> fates = new ArrayList<>();

    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicBoolean stop = new AtomicBoolean();

    private FetchJob job;
    private Fetch fetch;
    private FetchTask task;
    private Thread first;

    HedgedFetchTest() {
        new Random(11).nextBytes(bytes);
    }

    @AfterEach
    void everythingIsGivenBack() throws InterruptedException {
        if (first != null) {
            first.join();
        }
        job.finish();
        assertEquals(0, work.executor.inUse());
        assertEquals(0, work.budget.held());
        work.budget.close();
    }

    private FetchJob job() {
        List<ByteRange> ranges = List.of(new ByteRange(700, LENGTH));
        return new FetchJob(work.source, file, ranges, LENGTH, 0, work.counters).reusing(buffers);
    }

    /** Starts the first request on a thread of its own; read n meets {@code met[n]}. */
    private void start(MemorySource.Hook... met) {
        fates.addAll(List.of(met));
        work.source.onRead((read, scope) -> fates.get(reads.getAndIncrement()).before(read, scope));
        job = job();
        fetch = work.admit(job);
        task = fetch.tasks().get(0);
        first = new Thread(task::runIfNew);
        first.start();
    }

    private boolean hedge() {
        return task.hedge(work.budget.reserveHead(task.length()), stop::get);
    }

    private void assertComplete() throws IOException {
        Conditions.holds(fetch::isDone, "the fetch did not end");
        fetch.check();
        byte[] fetched = fetch.segments().get(0).bytes();
        assertArrayEquals(Arrays.copyOfRange(bytes, 700, 700 + LENGTH), Arrays.copyOf(fetched, LENGTH));
    }

    private static MemorySource.Hook passing(Gate gate) {
        return (read, scope) -> gate.pass(scope);
    }

    private static void atOnce(MemorySource.Read read, ReadScope scope) {
        // The bytes are there.
    }

    @Test
    void theSecondOneWinsAndTheFirstIsAborted() throws IOException {
        Gate stuck = new Gate(1);
        start(passing(stuck), HedgedFetchTest::atOnce);
        stuck.awaitReached();
        assertFalse(hedge());
        assertComplete();
        assertEquals(1, work.counters.hedgesWon.sum());
        assertEquals(2, work.counters.requests.sum());
        assertTrue(job.release());
        assertEquals(0, buffers.free(), "a store may still write into what it was given for the first one");
    }

    @Test
    void theFirstOneWinsAndTheSecondIsAborted() throws IOException {
        Gate slow = new Gate(1);
        Gate stuck = new Gate(1);
        start(passing(slow), (read, scope) -> {
            slow.open();
            stuck.pass(scope);
        });
        slow.awaitReached();
        assertFalse(hedge(), "ends although nobody opened its gate");
        assertComplete();
        assertEquals(0, work.counters.hedgesWon.sum());
        assertTrue(job.release());
        assertTrue(buffers.free() > 0, "nobody writes into the buffer any more");
    }

    @Test
    void aFirstOneThatIsDeafEndsInItsOwnTime() throws IOException {
        Gate deaf = new Gate(1);
        start(deaf, HedgedFetchTest::atOnce);
        deaf.awaitReached();
        hedge();
        assertFalse(fetch.isDone(), "it may still write");
        assertEquals(job.bytes() + LENGTH, work.budget.held(), "both buffers are accounted for");
        deaf.open();
        assertComplete();
        assertEquals(0, work.counters.hedgesWon.sum(), "it had its bytes in the end");
        assertEquals(job.bytes(), work.budget.held());
    }

    @Test
    void aSecondOneThatFailsLeavesTheFirstAlone() throws IOException {
        Gate slow = new Gate(1);
        start(passing(slow), (read, scope) -> {
            throw new IOException("no second helping");
        });
        slow.awaitReached();
        Hedging asked = new Hedging(() -> 0);
        for (int i = 0; i < 2 * Hedging.REQUESTS_PER_HEDGE; i++) {
            asked.answered(job.store(), 1);
        }
        Conditions.holds(() -> task.isLate(asked), "it is never late");
        assertFalse(hedge());
        assertFalse(fetch.isDone());
        assertFalse(hedge(), "once is enough");
        assertEquals(2, reads.get());
        assertFalse(task.isLate(asked), "another one is not asked for");
        assertTrue(asked.admits(job.store(), Hedging.LEAST, false), "and not paid for");
        slow.open();
        assertComplete();
    }

    @Test
    void aFailureOfTheFirstOneIsTheFetches() {
        IOException failure = new IOException("403");
        Gate slow = new Gate(1);
        Gate stuck = new Gate(1);
        start(
                (read, scope) -> {
                    slow.before(read, scope);
                    throw failure;
                },
                (read, scope) -> {
                    slow.open();
                    stuck.pass(scope);
                });
        slow.awaitReached();
        hedge();
        Conditions.holds(fetch::isDone, "the fetch did not end");
        assertSame(failure, assertThrows(IOException.class, fetch::check));
    }

    @Test
    void anErrorOfTheFirstOneIsNotHiddenByTheSecond() {
        Gate slow = new Gate(1);
        start(
                (read, scope) -> {
                    slow.before(read, scope);
                    throw new NoClassDefFoundError("gone");
                },
                HedgedFetchTest::atOnce);
        slow.awaitReached();
        hedge();
        slow.open();
        Conditions.holds(fetch::isDone, "the fetch did not end");
        assertThrows(NoClassDefFoundError.class, fetch::check);
        assertEquals(0, work.counters.hedgesWon.sum());
    }

    @Test
    void whoReleasesTheFetchEndsBoth() {
        Gate one = new Gate(1);
        Gate two = new Gate(1);
        start(passing(one), (read, scope) -> {
            new Thread(job::release).start();
            two.pass(scope);
        });
        one.awaitReached();
        hedge();
        Conditions.holds(fetch::isDone, "the fetch did not end");
        assertThrows(ReadCancelledException.class, fetch::check);
        assertNull(job.fetch());
        assertEquals(0, work.counters.hedgesWon.sum());
    }

    @Test
    void aReasonToStopEndsTheSecondOne() {
        Gate one = new Gate(1);
        start(passing(one), (read, scope) -> {
            stop.set(true);
            Conditions.holds(scope::cancelled, "the read was not told that nobody wants it");
            throw new ReadCancelledException("stopped");
        });
        one.awaitReached();
        assertFalse(hedge());
        assertFalse(fetch.isDone(), "the first one is ended by who stops the task");
        job.finish();
    }

    @Test
    void nothingIsSentForARequestThatHasEnded() throws Exception {
        start(HedgedFetchTest::atOnce);
        first.join();
        assertFalse(hedge());
        assertEquals(1, reads.get());
        assertComplete();
    }

    @Test
    void whetherTheStoreAsksToSlowDownIsSaid() throws IOException {
        Gate slow = new Gate(1);
        start(passing(slow), (read, scope) -> scope.retried(ReadScope.IOFault.THROTTLED));
        slow.awaitReached();
        assertTrue(hedge());
        assertComplete();
        assertEquals(1, work.counters.throttles.sum());
    }

    @Test
    void whateverTheOrderBytesAreRightAndMemoryIsFree() throws Exception {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            int[] turns = {random.nextInt(2000), random.nextInt(2000)};
            reads.set(0);
            fates.clear();
            boolean released = random.nextInt(4) == 0;
            MemorySource.Hook[] met = new MemorySource.Hook[2];
            for (int i = 0; i < 2; i++) {
                int turn = turns[i];
                met[i] = (read, scope) -> {
                    for (int k = 0; k < turn; k++) {
                        Thread.onSpinWait();
                    }
                    if (scope.cancelled()) {
                        throw new ReadCancelledException("aborted");
                    }
                };
            }
            start(met);
            Thread releaser = new Thread(() -> {
                if (released) {
                    job.release();
                }
            });
            releaser.start();
            hedge();
            first.join();
            releaser.join();
            assertTrue(fetch.isDone(), "seed " + seed);
            if (!released) {
                assertComplete();
            }
            job.finish();
            assertEquals(0, work.executor.inUse(), "seed " + seed);
        }
    }

    @Test
    void aTaskThatWaitsTooLongSendsTheSecondOneItself() throws IOException {
        Gate stuck = new Gate(1);
        AtomicInteger sent = new AtomicInteger();
        work.source.onRead((read, scope) -> {
            if (sent.getAndIncrement() == 0) {
                stuck.pass(scope);
            }
        });
        job = job();
        AsyncPool pool = new AsyncPool(2, Duration.ofMillis(100));
        JobSequence sequence = new JobSequence() {
            @Override
            public FetchJob peek() {
                return job.isWaiting() ? job : null;
            }

            @Override
            public void dropped() {
                // peek looks anew each time
            }
        };
        try (ReadAheadQueue queue =
                new ReadAheadQueue(pool, work.budget, sequence, 1, true, work.counters, () -> false)) {
            queue.topUp();
            stuck.awaitReached();
            queue.claim(job);
            fetch = job.fetch();
            assertComplete();
            assertEquals(1, work.counters.hedgesWon.sum());
            queue.done(job);
        }
    }
}
