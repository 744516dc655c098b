// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.governor.ExecutorBudget;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.governor.TaskMemory;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks that share a pool, an account and little memory: every task gets all its rows in order, whatever fails, is
 * dropped or given back, and in the end every byte is back. Budgets from nothing to two jobs, one to eight tasks.
 */
@Timeout(120)
class ReadAheadPropertyTest {
    private static final int JOB = 1000;

    @Test
    void everyTaskGetsItsBytesAndEveryByteGoesBack() throws InterruptedException {
        for (int seed = 0; seed < 160; seed++) {
            Random random = new Random(seed);
            AsyncPool pool = new AsyncPool(1 + random.nextInt(4), Duration.ofMillis(1));
            ExecutorBudget executor = new ExecutorBudget(random.nextBoolean() ? 1 : 0.5);
            SharedMemory memory = new SharedMemory(random.nextInt(2 * JOB + 1));
            int tasks = 1 + random.nextInt(8);
            List<Throwable> errors = new CopyOnWriteArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < tasks; t++) {
                Task task = new Task(pool, executor, memory, random.nextLong());
                threads.add(new Thread(() -> {
                    try {
                        task.run();
                    } catch (Throwable e) {
                        errors.add(e);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join(30_000);
                assertTrue(!thread.isAlive(), "seed " + seed + ": a task hangs");
            }
            assertEquals(List.of(), errors, "seed " + seed);
            Conditions.holds(() -> executor.inUse() == 0, "seed " + seed + ": bytes stayed charged");
            assertEquals(0, memory.used(), "seed " + seed);
        }
    }

    /** One pool of memory for all tasks of an executor. */
    private static final class SharedMemory {
        private final long size;
        private long used;

        SharedMemory(long size) {
            this.size = size;
        }

        synchronized long free() {
            return size - used;
        }

        synchronized long acquire(long bytes) {
            long got = Math.min(bytes, size - used);
            used += got;
            return got;
        }

        synchronized void release(long bytes) {
            used -= bytes;
            if (used < 0) {
                throw new IllegalStateException("given back more than was granted");
            }
        }

        synchronized long used() {
            return used;
        }
    }

    /** One task: reads its jobs in order; the model is the file itself. */
    private static final class Task implements JobSequence {
        private final Random random;
        private final MemorySource source = new MemorySource();
        private final ScanCounters counters = new ScanCounters();
        private final byte[] bytes = new byte[20 * JOB];
        private final List<FetchJob> jobs = new ArrayList<>();
        private final TaskBudget budget;
        private final ReadAheadQueue queue;
        private final Thread[] thread = new Thread[1];

        Task(AsyncPool pool, ExecutorBudget executor, SharedMemory memory, long seed) {
            random = new Random(seed);
            random.nextBytes(bytes);
            FileRef file = source.add("mem://property/" + seed, bytes);
            int offset = 0;
            for (int i = 0; i < 15; i++) {
                List<ByteRange> ranges = new ArrayList<>();
                int end = offset + 1 + random.nextInt(JOB);
                while (offset < end) {
                    int length = 1 + random.nextInt(end - offset);
                    ranges.add(new ByteRange(offset, length));
                    offset += length + (random.nextBoolean() ? 0 : random.nextInt(20));
                }
                jobs.add(new FetchJob(source, file, ranges, 0, i, counters));
            }
            AtomicInteger failures = new AtomicInteger(random.nextInt(3));
            source.onRead((read, scope) -> {
                if (read.range().offset() % 7 == 0 && failures.getAndDecrement() > 0) {
                    throw new IOException("random failure");
                }
            });
            budget = new TaskBudget(executor, taskMemory(memory), random.nextInt(3 * JOB));
            int depth = random.nextInt(4) == 0 ? random.nextInt(4) : -1;
            queue = new ReadAheadQueue(pool, budget, this, depth, true, counters, () -> false);
        }

        private TaskMemory taskMemory(SharedMemory memory) {
            return new TaskMemory() {
                @Override
                public long free() {
                    return memory.free();
                }

                @Override
                public boolean othersHold() {
                    return random.nextInt(3) > 0;
                }

                @Override
                public long acquire(long wanted) {
                    assertEquals(thread[0], Thread.currentThread(), "only the task's thread asks for memory");
                    if (random.nextInt(5) == 0) {
                        // As Spark does: somebody else's demand is met from within a request.
                        queue.giveBack(random.nextInt(2 * JOB));
                    }
                    return memory.acquire(wanted);
                }

                @Override
                public void release(long bytes) {
                    assertEquals(thread[0], Thread.currentThread(), "only the task's thread gives memory back");
                    memory.release(bytes);
                }
            };
        }

        void run() throws IOException {
            thread[0] = Thread.currentThread();
            queue.topUp();
            int stopAt = random.nextInt(4) == 0 ? random.nextInt(jobs.size()) : jobs.size();
            for (int i = 0; i < stopAt; i++) {
                FetchJob job = jobs.get(i);
                claim(job);
                if (random.nextInt(6) == 0) {
                    queue.giveBack(random.nextInt(3 * JOB));
                }
                check(job);
                if (random.nextInt(3) == 0) {
                    queue.topUp();
                }
                queue.done(job);
                if (random.nextInt(10) == 0 && i + 1 < stopAt) {
                    queue.abandon(jobs.get(++i));
                }
            }
            queue.close();
            jobs.forEach(FetchJob::finish);
            budget.close();
        }

        private void claim(FetchJob job) throws IOException {
            while (true) {
                try {
                    queue.claim(job);
                    return;
                } catch (IOException e) {
                    // Each of the few failures is met once.
                    assertEquals("random failure", e.getMessage());
                }
            }
        }

        private void check(FetchJob job) {
            List<Segment> segments = job.fetch().segments();
            for (ByteRange range : job.ranges()) {
                Segment segment = segments.stream()
                        .filter(s -> s.offset() <= range.offset() && s.end() >= range.end())
                        .findFirst()
                        .orElseThrow();
                int at = Math.toIntExact(range.offset() - segment.offset());
                int from = Math.toIntExact(range.offset());
                int length = Math.toIntExact(range.length());
                assertArrayEquals(
                        Arrays.copyOfRange(bytes, from, from + length),
                        Arrays.copyOfRange(segment.bytes(), at, at + length));
            }
        }

        @Override
        public FetchJob peek() {
            for (FetchJob job : jobs) {
                if (job.isWaiting()) {
                    return job;
                }
            }
            return null;
        }

        @Override
        public void dropped() {
            // peek looks at all jobs anyhow
        }
    }
}
