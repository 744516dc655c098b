// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a queue says was granted, denied, dropped, and held at most. Jobs are of 100 bytes. */
@Timeout(60)
class ReadAheadCountersTest {
    private final Work work = new Work();
    private final AsyncPool pool = new AsyncPool(2, Duration.ofMillis(100));
    private final List<FetchJob> jobs = new ArrayList<>();
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
    private ReadAheadQueue queue;

    @BeforeEach
    void tenJobs() {
        for (int i = 0; i < 10; i++) {
            jobs.add(work.job(i));
        }
        queue = new ReadAheadQueue(pool, work.budget, sequence, 4, false, work.counters, () -> false);
    }

    @AfterEach
    void everythingIsGivenBack() {
        queue.close();
        jobs.forEach(FetchJob::finish);
        Conditions.holds(() -> work.executor.inUse() == 0, "bytes stayed charged");
        work.budget.close();
        assertEquals(0, work.memory.used());
    }

    @Test
    void withMemoryToSpareEveryJobButTheFirstIsGrantedOnce() throws IOException {
        for (int i = 0; i < 10; i++) {
            queue.claim(jobs.get(i));
            queue.done(jobs.get(i));
        }
        counted(900, 0, 0);
        assertEquals(500, work.counters.peakBytes.get(), "the claimed one and four ahead");
        assertEquals(500, work.executor.peak());
        assertEquals(500, work.budget.peak());
        assertEquals(0, work.counters.bytesNeverDecoded.sum());
    }

    @Test
    void aRefusalCountsOnceUntilSomethingWasGranted() throws IOException {
        work.memory.resize(250);
        queue.topUp();
        counted(200, 1, 0);
        queue.topUp();
        queue.topUp();
        counted(200, 1, 0);
        queue.claim(jobs.get(0));
        queue.done(jobs.get(0));
        queue.topUp();
        counted(300, 2, 0);
        assertEquals(200, work.counters.peakBytes.get());
    }

    @Test
    void withoutMemoryNothingIsGrantedAndThePeakIsOneJob() throws IOException {
        work.memory.resize(0);
        for (int i = 0; i < 10; i++) {
            queue.claim(jobs.get(i));
            queue.done(jobs.get(i));
        }
        counted(0, 1, 0);
        assertEquals(100, work.counters.peakBytes.get());
        assertEquals(100, work.executor.peak());
    }

    @Test
    void whatIsDroppedIsGrantedAgain() throws IOException {
        queue.topUp();
        counted(400, 0, 0);
        for (int i = 0; i < 4; i++) {
            FetchJob job = jobs.get(i);
            Conditions.holds(() -> job.fetch().isDone(), "not fetched");
        }
        assertEquals(200, queue.giveBack(150));
        counted(400, 0, 2);
        assertEquals(200, work.counters.bytesNeverDecoded.sum());
        queue.topUp();
        counted(600, 0, 2);
        assertEquals(400, work.counters.peakBytes.get());
    }

    private void counted(long granted, long denials, long dropped) {
        assertEquals(granted, work.counters.bytesGranted.sum(), "granted");
        assertEquals(denials, work.counters.denials.sum(), "denials");
        assertEquals(dropped, work.counters.jobsDropped.sum(), "dropped");
    }
}
