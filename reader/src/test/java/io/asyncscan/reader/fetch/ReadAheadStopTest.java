// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.ReadCancelledException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task that is closed, killed or interrupted, at any moment. */
@Timeout(60)
class ReadAheadStopTest {
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
    void closingFromAnotherThreadEndsTheWait() throws Exception {
        waiting(() -> queue.close(), ReadCancelledException.class);
    }

    @Test
    void killingTheTaskEndsTheWait() throws Exception {
        waiting(() -> killed.set(true), ReadCancelledException.class);
    }

    @Test
    void interruptingTheTaskEndsTheWait() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        waiting(() -> thread.get().interrupt(), thread, InterruptedIOException.class);
    }

    private void waiting(Runnable end, Class<? extends IOException> type) throws Exception {
        waiting(end, new AtomicReference<>(), type);
    }

    /** The task waits for bytes that a pool thread is deaf about; {@code end} has to end the wait. */
    private void waiting(Runnable end, AtomicReference<Thread> task, Class<? extends IOException> type)
            throws Exception {
        Gate gate = new Gate(1);
        work.source.onRead(gate);
        open(1, 3);
        try {
            queue.topUp();
            gate.awaitReached();
            Throwable failure = run(task, () -> queue.claim(jobs.get(0)), end);
            assertTrue(type.isInstance(failure), "ended with " + failure);
        } finally {
            gate.open();
        }
    }

    @Test
    void killingTheTaskEndsARequestItRunsItself() throws Exception {
        helping(() -> killed.set(true), new AtomicReference<>());
    }

    @Test
    void interruptingTheTaskEndsARequestItRunsItself() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        helping(() -> thread.get().interrupt(), thread);
    }

    /** All pool threads are busy elsewhere; the task fetches its own bytes from a store that never answers. */
    private void helping(Runnable end, AtomicReference<Thread> task) throws Exception {
        Work other = new Work();
        Gate busy = new Gate(2);
        other.source.onRead(busy);
        try (AsyncPool.Lane lane = pool.open()) {
            lane.submit(other.admit(other.job(0, 0, 2, 10)));
            busy.awaitReached();
            work.source.onRead((read, scope) -> {
                BooleanSupplier cancelled = scope::cancelled;
                Conditions.holds(cancelled, "the read was not told that nobody wants it");
                throw new ReadCancelledException("cancelled");
            });
            open(0, 1);
            jobs.set(0, work.job(0, 0, 3, 10));
            Throwable failure = run(task, () -> queue.claim(jobs.get(0)), () -> {
                Conditions.holds(() -> !work.source.reads().isEmpty(), "the task does not help itself");
                end.run();
            });
            assertTrue(failure instanceof IOException, "ended with " + failure);
            assertEquals(1, work.source.reads().size(), "the other requests are not even tried");
        } finally {
            busy.open();
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    /** Runs {@code call} on a thread of its own, then {@code end}; returns what the call threw. */
    private static Throwable run(AtomicReference<Thread> task, Call call, Runnable end) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                call.run();
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        task.set(thread);
        thread.start();
        end.run();
        thread.join(20_000);
        assertFalse(thread.isAlive(), "still waiting");
        return failure.get();
    }

    @Test
    void closingAtAnyMomentLosesNoMemory() throws Exception {
        for (int round = 0; round < 300; round++) {
            Work own = new Work();
            List<FetchJob> list = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                list.add(own.job(i));
            }
            JobSequence waiting = new JobSequence() {
                @Override
                public FetchJob peek() {
                    return list.stream().filter(FetchJob::isWaiting).findFirst().orElse(null);
                }

                @Override
                public void dropped() {
                    // peek looks at all of them anyhow
                }
            };
            ReadAheadQueue scan = new ReadAheadQueue(pool, own.budget, waiting, -1, false, own.counters, () -> false);
            Thread reader = new Thread(() -> {
                try {
                    for (FetchJob job : list) {
                        scan.claim(job);
                        scan.done(job);
                    }
                } catch (IOException e) {
                    // closed
                }
            });
            reader.start();
            if (round % 2 == 0) {
                Conditions.holds(() -> !own.source.reads().isEmpty(), "nothing was read");
            }
            scan.close();
            list.forEach(FetchJob::finish);
            own.budget.close();
            reader.join();
            Conditions.holds(() -> own.executor.inUse() == 0, "bytes stayed charged");
            assertEquals(0, own.memory.used(), "round " + round);
        }
    }
}
