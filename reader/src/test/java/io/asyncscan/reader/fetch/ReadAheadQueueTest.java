// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.ReadCancelledException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadQueueTest {
    private final Work work = new Work();
    private final AsyncPool pool = new AsyncPool(2, Duration.ofMillis(100));
    private final List<FetchJob> jobs = new ArrayList<>();
    private final AtomicBoolean killed = new AtomicBoolean();
    private ReadAheadQueue queue;

    /** The jobs in order, all known from the start. */
    private final JobSequence sequence = new JobSequence() {
        @Override
        public FetchJob peek() {
            return jobs.stream().filter(FetchJob::isWaiting).findFirst().orElse(null);
        }

        @Override
        public void dropped() {
            // peek looks at all of them anyhow
        }
    };

    private void open(int depth, int count) {
        for (int i = 0; i < count; i++) {
            jobs.add(work.job(i));
        }
        queue = new ReadAheadQueue(pool, work.budget, sequence, depth, false, work.counters, killed::get);
    }

    @AfterEach
    void everythingIsGivenBack() {
        if (queue == null) {
            return;
        }
        queue.close();
        jobs.forEach(FetchJob::finish);
        Conditions.holds(() -> work.executor.inUse() == 0, "bytes stayed charged");
        work.budget.close();
        assertEquals(0, work.memory.used());
        assertEquals(0, work.budget.held());
    }

    @Test
    void fetchesNothingBeforeItIsAsked() {
        open(-1, 5);
        assertEquals(0, queue.size());
        assertEquals(List.of(), work.source.reads());
    }

    @Test
    void theWindowStaysWhileJobsAreThereInTime() throws IOException {
        open(-1, 100);
        queue.topUp();
        assertEquals(8, queue.size(), "few bytes may be ahead from the start");
        for (int i = 0; i < 20; i++) {
            complete(i);
            claim(i);
            assertEquals(8, queue.size(), "after claim " + i);
            queue.done(jobs.get(i));
        }
        assertEquals(8, work.counters.depthReached.get());
    }

    @Test
    void claimsInOrderGetTheRightBytes() throws IOException {
        open(-1, 60);
        queue.topUp();
        for (int i = 0; i < 60; i++) {
            claim(i);
            queue.done(jobs.get(i));
        }
        assertEquals(60, work.source.reads().size(), "each range is fetched once");
        assertEquals(60, work.counters.requests.sum());
        assertEquals(6000, work.counters.bytesFetched.sum());
        assertEquals(0, work.counters.bytesNeverDecoded.sum());
    }

    @Test
    void aClaimFreesItsSlotAtOnce() throws IOException {
        open(1, 3);
        queue.topUp();
        assertEquals(1, queue.size());
        claim(0);
        assertEquals(1, queue.size(), "the next is on its way before the first is decoded");
        assertNotNull(jobs.get(1).fetch());
        assertNull(jobs.get(2).fetch());
    }

    @Test
    void depthZeroFetchesOnlyWhatIsClaimed() throws IOException {
        open(0, 3);
        queue.topUp();
        assertEquals(0, queue.size());
        claim(0);
        assertEquals(0, queue.size());
        assertEquals(1, work.source.reads().size());
    }

    @Test
    void aFixedDepthIsNeverPassed() throws IOException {
        open(3, 50);
        queue.topUp();
        for (int i = 0; i < 50; i++) {
            claim(i);
            assertTrue(queue.size() <= 3);
            queue.done(jobs.get(i));
        }
        assertEquals(3, work.counters.depthReached.get());
    }

    @Test
    void theHeadProceedsWithoutAnyMemory() throws IOException {
        work.memory.resize(0);
        open(-1, 5);
        queue.topUp();
        assertEquals(0, queue.size());
        for (int i = 0; i < 5; i++) {
            claim(i);
            assertEquals(0, queue.size());
            assertEquals(0, work.memory.used());
            queue.done(jobs.get(i));
        }
        assertEquals(100, work.executor.peak());
    }

    @Test
    void whenMemoryReturnsTheQueueRefills() throws IOException {
        work.memory.resize(250);
        open(-1, 10);
        queue.topUp();
        assertEquals(2, queue.size());
        claim(0);
        assertEquals(1, queue.size(), "no room for a third");
        work.memory.resize(1000);
        queue.topUp();
        assertEquals(8, queue.size());
    }

    @Test
    void givesBackTheNewestFirst() throws IOException {
        open(4, 10);
        queue.topUp();
        claim(0);
        complete(1, 2, 3, 4);
        assertEquals(4, queue.size());
        assertEquals(400, work.memory.used(), "what is claimed is not the operators' to have");
        assertEquals(500, work.executor.inUse());
        assertEquals(100, queue.giveBack(1));
        assertNull(jobs.get(4).fetch());
        assertNotNull(jobs.get(3).fetch());
        assertEquals(200, queue.giveBack(101));
        assertNotNull(jobs.get(1).fetch());
        assertEquals(3, work.counters.jobsDropped.sum());
        assertEquals(100, work.memory.used());
        assertEquals(100, queue.giveBack(Long.MAX_VALUE));
        assertEquals(0, work.memory.used(), "nothing is left that an operator could want");
        assertEquals(0, queue.giveBack(1));
        assertNotNull(jobs.get(0).fetch());

        claim(1);
        assertEquals(4, queue.size(), "what was dropped is read ahead again");
        complete(2, 3, 4, 5);
        for (int i = 2; i < 10; i++) {
            claim(i);
        }
    }

    @Test
    void withoutOperatorsReadAheadShrinksWithWhatIsFree() throws IOException {
        work.memory.othersHold(false);
        open(4, 10);
        queue.topUp();
        claim(0);
        complete(1, 2, 3, 4);
        assertEquals(0, work.memory.used(), "the task has no operators");
        assertEquals(500, work.executor.inUse());
        // 500 are held; other tasks and the cache take all but 350.
        work.memory.resize(350);
        look();
        assertEquals(2, queue.size());
        assertNull(jobs.get(3).fetch(), "the newest went");
        assertNotNull(jobs.get(2).fetch());
        assertEquals(2, work.counters.jobsDropped.sum());
        look();
        assertEquals(2, queue.size());
        work.memory.resize(0);
        look();
        assertEquals(0, queue.size());
        assertNotNull(jobs.get(0).fetch(), "what is claimed stays");
        work.memory.resize(1 << 20);
        look();
        assertEquals(4, queue.size());
        for (int i = 1; i < 10; i++) {
            claim(i);
        }
    }

    @Test
    void requestsThatAreStillEndingGoTowardsWhatHasToShrink() throws IOException {
        work.memory.othersHold(false);
        Gate gate = new Gate(2);
        work.source.onRead(gate);
        open(4, 4);
        queue.topUp();
        gate.awaitReached();
        // Of the four jobs, the two newest have not started, the others stand still.
        work.memory.resize(100);
        look();
        assertEquals(1, queue.size());
        assertEquals(200, work.executor.inUse(), "the request of the second is still writing");
        look();
        assertEquals(1, queue.size(), "its bytes are on their way back");
        gate.open();
        Conditions.holds(() -> work.executor.inUse() == 100, "the aborted request did not end");
        work.source.onRead((read, scope) -> {});
        look();
        assertEquals(1, queue.size());
    }

    @Test
    void whatIsAheadBecomesTheTasksWhenItsOperatorsStart() throws IOException {
        work.memory.othersHold(false);
        open(4, 10);
        queue.topUp();
        complete(0, 1, 2, 3);
        assertEquals(0, work.memory.used());
        work.memory.othersHold(true);
        look();
        assertEquals(400, work.memory.used());
        assertEquals(200, queue.giveBack(200), "so that they can have it");
        work.memory.othersHold(false);
        look();
        assertEquals(0, work.memory.used());
    }

    @Test
    void givingBackCountsOnlyWhatIsReallyFree() throws IOException {
        Gate gate = new Gate(2);
        work.source.onRead(gate);
        open(-1, 2);
        queue.topUp();
        gate.awaitReached();
        assertEquals(0, queue.giveBack(200), "both requests still write");
        assertEquals(200, work.memory.used());
        assertEquals(0, queue.size());
        gate.open();
        Conditions.holds(() -> work.executor.inUse() == 0, "the requests did not end");
        assertEquals(200, queue.giveBack(1));
        assertEquals(0, work.memory.used());
        work.source.onRead((read, scope) -> {});
        claim(0);
        claim(1);
    }

    @Test
    void givingBackFromWithinAReservationIsSafe() throws IOException {
        open(-1, 40);
        AtomicInteger times = new AtomicInteger();
        // Spark asks for memory back while memory is being acquired.
        work.memory.onAcquire(() -> {
            if (times.incrementAndGet() % 3 == 0) {
                queue.giveBack(150);
            }
        });
        for (int i = 0; i < 40; i++) {
            claim(i);
            queue.done(jobs.get(i));
        }
        assertTrue(work.counters.jobsDropped.sum() > 0);
    }

    @Test
    void aJobThatIsGivenBackByAnotherThreadIsFetchedAnew() throws Exception {
        open(4, 400);
        AtomicBoolean stop = new AtomicBoolean();
        Thread pressure = new Thread(() -> {
            while (!stop.get()) {
                queue.giveBack(1);
            }
        });
        pressure.start();
        try {
            for (int i = 0; i < 400; i++) {
                claim(i);
                queue.done(jobs.get(i));
            }
        } finally {
            stop.set(true);
            pressure.join();
        }
    }

    @Test
    void theErrorOfAFetchComesWithItsClaim() throws IOException {
        IOException failure = new IOException("no such bytes");
        work.source.onRead((read, scope) -> {
            if (read.range().offset() == 100) {
                throw failure;
            }
        });
        open(-1, 4);
        queue.topUp();
        claim(0);
        assertSame(failure, assertThrows(IOException.class, () -> queue.claim(jobs.get(1))));
        assertNull(jobs.get(1).fetch(), "its memory is free");
        work.source.onRead((read, scope) -> {});
        claim(1);
        claim(2);
    }

    @Test
    void abandonedJobsCountAsFetchedInVain() throws IOException {
        open(-1, 3);
        queue.topUp();
        queue.abandon(jobs.get(0));
        queue.abandon(jobs.get(2));
        assertEquals(200, work.counters.bytesNeverDecoded.sum());
        assertEquals(1, queue.size());
        assertFalse(jobs.get(2).isWaiting());
        claim(1);
    }

    @Test
    void closingReleasesWhatIsAhead() throws IOException {
        open(-1, 10);
        queue.topUp();
        queue.close();
        queue.close();
        assertEquals(0, queue.size());
        queue.topUp();
        assertEquals(0, queue.size());
        assertThrows(ReadCancelledException.class, () -> queue.claim(jobs.get(0)));
        assertEquals(800, work.counters.bytesNeverDecoded.sum());
    }

    /** Tops up until the queue has looked at what others hold. */
    private void look() throws IOException {
        for (int i = 0; i < ReadAheadQueue.LOOK_EVERY; i++) {
            queue.topUp();
        }
    }

    private void claim(int i) throws IOException {
        FetchJob job = jobs.get(i);
        queue.claim(job);
        assertArrayEquals(
                Arrays.copyOfRange(work.bytes, 100 * i, 100 * i + 100),
                job.fetch().segments().get(0).bytes(),
                "bytes of job " + i);
    }

    private void complete(int... indexes) {
        for (int i : indexes) {
            FetchJob job = jobs.get(i);
            Conditions.holds(() -> job.fetch() != null && job.fetch().isDone(), "job " + i + " was not fetched");
        }
    }
}
