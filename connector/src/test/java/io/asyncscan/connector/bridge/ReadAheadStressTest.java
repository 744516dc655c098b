// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.governor.ExecutorBudget;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.governor.TaskMemory;
import io.asyncscan.governor.task.ReadAheadConsumer;
import io.asyncscan.reader.fetch.AsyncPool;
import io.asyncscan.reader.fetch.FetchJob;
import io.asyncscan.reader.fetch.JobSequence;
import io.asyncscan.reader.fetch.ReadAheadQueue;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.fetch.Segment;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tasks that read ahead on the real pool, under Spark's own memory managers, next to operators that ask for memory all the
 * time: on the thread that reads, and on a second one, as where rows go through an external process. {@code
 * -Dasyncscan.stress=N} repeats each case N times.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ReadAheadStressTest {
    private static final int ROUNDS = Integer.getInteger("asyncscan.stress", 1);
    private static final int JOB = 1000;
    private static final int JOBS = 200;

    /** Bytes that tell where they are from. */
    private static byte at(long seed, long offset) {
        return (byte) (seed * 31 + offset * 7 + (offset >> 8));
    }

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger spills = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();

    @ParameterizedTest
    @CsvSource({
        "1,0,1",
        "1,500,1",
        "1,1000,1",
        "1,2000,2",
        "2,2000,2",
        "4,500,1",
        "4,1000,2",
        "4,2000,1",
        "8,0,2",
        "8,500,1",
        "8,1000,1",
        "8,2000,2",
        "4,3000,2"
    })
    void everyTaskGetsItsBytesWhateverOperatorsTake(int tasks, int budget, int scans) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            AsyncPool pool = new AsyncPool(4, Duration.ofMillis(100));
            ExecutorBudget executor = new ExecutorBudget(1);
            UnifiedMemoryManager memory = new UnifiedMemoryManager(new SparkConf(false), 4L * JOB * tasks, 0, tasks);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < tasks; t++) {
                Task task = new Task(pool, executor, memory, round * 8L + t, budget, scans);
                threads.add(started(task::run));
            }
            for (Thread thread : threads) {
                ended(thread, tasks + " tasks, budget " + budget);
            }
            assertEquals(null, failure.get());
            long start = System.nanoTime();
            while (executor.inUse() > 0) {
                // Requests of dropped jobs end on the pool.
                assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20), "bytes stay charged");
                Thread.onSpinWait();
            }
            assertEquals(0, memory.executionMemoryUsed());
        }
        if (budget >= 2 * JOB) {
            // With room for one job, nothing is ahead of the claimed one, and that is not Spark's to ask back.
            assertTrue(spills.get() > 0, "no operator was short of memory");
        }
    }

    private Thread started(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        });
        thread.start();
        return thread;
    }

    private static void ended(Thread thread, String where) throws InterruptedException {
        thread.join(60_000);
        assertFalse(thread.isAlive(), () -> where + ": hangs at " + List.of(thread.getStackTrace()));
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Whoever talks to Spark's memory, or is asked by it, must hold no lock of the reader: the other side takes them in turn. */
    private void assertNoReaderLock() {
        int call = calls.incrementAndGet();
        if (call % 16 != 0) {
            return;
        }
        long self = Thread.currentThread().getId();
        // To find locks that are not monitors the JVM walks the heap, which takes as long as all else here: now and
        // then.
        boolean all = call % 512 == 0;
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(new long[] {self}, true, all)[0];
        for (MonitorInfo monitor : info.getLockedMonitors()) {
            if (monitor.getLockedStackFrame().getClassName().startsWith("io.asyncscan.reader.")) {
                AssertionError held = new AssertionError("locked at " + monitor.getLockedStackFrame());
                failure.compareAndSet(null, held);
                throw held;
            }
        }
        assertEquals(0, info.getLockedSynchronizers().length);
    }

    /** An operator: takes memory, and gives none of it to others. */
    private static final class Operator extends MemoryConsumer {
        Operator(TaskMemoryManager manager) {
            super(manager, manager.pageSizeBytes(), MemoryMode.ON_HEAP);
        }

        @Override
        public long spill(long size, MemoryConsumer trigger) {
            return 0;
        }
    }

    /** A task of some scans, each with its own queue, that are read by turns, as a join reads them. */
    private final class Task {
        private final TaskMemoryManager manager;
        private final Random random;
        private final List<Scan> scans = new ArrayList<>();
        private volatile boolean over;

        Task(
                AsyncPool pool,
                ExecutorBudget executor,
                UnifiedMemoryManager memory,
                long attempt,
                int budget,
                int count) {
            manager = new TaskMemoryManager(memory, attempt);
            random = new Random(attempt);
            for (int i = 0; i < count; i++) {
                ReadAheadConsumer consumer = new ReadAheadConsumer(manager, memory, attempt);
                scans.add(new Scan(pool, executor, consumer, attempt * 2 + i, budget));
            }
        }

        void run() throws Exception {
            // Spark forgets a task that holds nothing, also while a second thread of it waits for memory.
            Operator base = new Operator(manager);
            assertEquals(1, base.acquireMemory(1));
            Thread other = started(() -> {
                Random sizes = new Random(7);
                Operator operator = new Operator(manager);
                while (!over) {
                    press(operator, sizes);
                }
            });
            try {
                Operator operator = new Operator(manager);
                for (int i = 0; i < JOBS; i++) {
                    for (Scan scan : scans) {
                        scan.read(i);
                    }
                    press(operator, random);
                }
            } finally {
                // Under pressure to the end.
                scans.forEach(Scan::close);
                over = true;
                ended(other, "the second thread");
                base.freeMemory(1);
            }
            assertEquals(0, manager.cleanUpAllAllocatedMemory(), "leaked");
        }

        private void press(Operator operator, Random sizes) {
            long got = operator.acquireMemory(1 + sizes.nextInt(3 * JOB));
            if (got > 0) {
                operator.freeMemory(got);
            }
        }
    }

    private final class Scan implements JobSequence, ByteSource {
        private final long seed;
        private final List<FetchJob> jobs = new ArrayList<>();
        private final TaskBudget budget;
        private final ReadAheadConsumer consumer;
        private final ReadAheadQueue queue;
        private final ScanCounters counters = new ScanCounters();

        Scan(AsyncPool pool, ExecutorBudget executor, ReadAheadConsumer consumer, long seed, int most) {
            this.seed = seed;
            this.consumer = consumer;
            FileRef file = FileRef.listed("mem://stress/" + seed, (long) JOB * JOBS, 1);
            for (int i = 0; i < JOBS; i++) {
                List<ByteRange> ranges = List.of(
                        new ByteRange((long) i * JOB, JOB / 2), new ByteRange((long) i * JOB + JOB / 2, JOB / 2));
                jobs.add(new FetchJob(this, file, ranges, JOB, i, counters));
            }
            budget = new TaskBudget(executor, checked(consumer), most);
            queue = new ReadAheadQueue(pool, budget, this, -1, true, counters, () -> false);
            consumer.onPressure(bytes -> {
                assertNoReaderLock();
                spills.incrementAndGet();
                return queue.giveBack(bytes);
            });
        }

        private TaskMemory checked(TaskMemory memory) {
            return new TaskMemory() {
                @Override
                public long free() {
                    return memory.free();
                }

                @Override
                public boolean othersHold() {
                    assertNoReaderLock();
                    return memory.othersHold();
                }

                @Override
                public long acquire(long bytes) {
                    assertNoReaderLock();
                    return memory.acquire(bytes);
                }

                @Override
                public void release(long bytes) {
                    assertNoReaderLock();
                    memory.release(bytes);
                }
            };
        }

        void read(int i) throws IOException {
            FetchJob job = jobs.get(i);
            queue.claim(job);
            for (Segment segment : job.fetch().segments()) {
                byte[] bytes = segment.bytes();
                for (int b = 0; b < segment.length(); b++) {
                    assertEquals(at(seed, segment.offset() + b), bytes[b]);
                }
            }
            queue.topUp();
            queue.done(job);
        }

        void close() {
            consumer.onPressure(bytes -> 0);
            queue.close();
            jobs.forEach(FetchJob::finish);
            budget.close();
        }

        @Override
        public FetchJob peek() {
            return jobs.stream().filter(FetchJob::isWaiting).findFirst().orElse(null);
        }

        @Override
        public void dropped() {
            // peek looks at all jobs anyhow
        }

        @Override
        public void read(FileRef file, long offset, byte[] target, int position, int length, ReadScope scope) {
            scope.requestSent();
            for (int b = 0; b < length; b++) {
                target[position + b] = at(seed, offset + b);
            }
            scope.received(length);
        }

        @Override
        public FileTail readTail(FileRef file, int length, ReadScope scope) {
            throw new UnsupportedOperationException();
        }
    }
}
