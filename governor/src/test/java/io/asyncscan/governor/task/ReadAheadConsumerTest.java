// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.governor.ExecutorBudget;
import io.asyncscan.governor.Lease;
import io.asyncscan.governor.TaskBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.storage.TestBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Read-ahead next to other consumers, under Spark's own memory managers. */
@Timeout(60)
class ReadAheadConsumerTest {
    private static final long HEAP = 1_000_000;

    private final UnifiedMemoryManager memory = new UnifiedMemoryManager(new SparkConf(false), HEAP, HEAP / 2, 1);
    private final ExecutorBudget executor = new ExecutorBudget(1);
    private final Task task = new Task(0);

    /** One task with read-ahead. */
    private final class Task {
        private final TaskMemoryManager manager;
        private final ReadAheadConsumer consumer;
        private final TaskBudget budget;

        /** What is read ahead, oldest first. */
        private final Deque<Lease> ahead = new ArrayDeque<>();

        Task(long attempt) {
            manager = new TaskMemoryManager(memory, attempt);
            consumer = new ReadAheadConsumer(manager, memory, attempt);
            budget = new TaskBudget(executor, consumer, Long.MAX_VALUE);
            consumer.onPressure(this::giveBack);
        }

        boolean readAhead(long bytes) {
            Optional<Lease> lease = budget.tryReserve(bytes);
            lease.ifPresent(ahead::add);
            return lease.isPresent();
        }

        private long giveBack(long bytes) {
            long freed = budget.settle();
            while (freed < bytes && !ahead.isEmpty()) {
                ahead.pollLast().close();
                freed += budget.settle();
            }
            return freed;
        }

        /** Ends the task as Spark does; returns the bytes it found leaked. */
        long end() {
            consumer.onPressure(bytes -> 0);
            budget.close();
            return manager.cleanUpAllAllocatedMemory();
        }
    }

    /** An operator that spills all it has when it is asked to. */
    private static final class Sorter extends MemoryConsumer {
        private int spills;

        Sorter(TaskMemoryManager manager) {
            super(manager, manager.pageSizeBytes(), MemoryMode.ON_HEAP);
        }

        @Override
        public long spill(long size, MemoryConsumer trigger) {
            spills++;
            long all = getUsed();
            freeMemory(all);
            return all;
        }
    }

    @Test
    void whatIsReservedIsTheTasks() {
        assertTrue(task.readAhead(300_000));
        assertEquals(300_000, task.manager.getMemoryConsumptionForThisTask());
        assertEquals(HEAP - 300_000, task.consumer.free());
        task.ahead.poll().close();
        task.budget.settle();
        assertEquals(0, task.manager.getMemoryConsumptionForThisTask());
        assertEquals(0, task.end());
    }

    @Test
    void anOperatorThatNeedsMemoryGetsOurs() {
        for (int i = 0; i < 9; i++) {
            assertTrue(task.readAhead(100_000));
        }
        Sorter sorter = new Sorter(task.manager);
        assertEquals(350_000, sorter.acquireMemory(350_000));
        assertEquals(0, sorter.spills);
        assertEquals(6, task.ahead.size(), "as much as it took, newest first");
        assertFalse(task.readAhead(100_000), "nothing is free");
        sorter.freeMemory(350_000);
        assertTrue(task.readAhead(100_000));
        task.ahead.forEach(Lease::close);
        assertEquals(0, task.end());
        assertEquals(0, executor.inUse());
    }

    @Test
    void readAheadMakesNoOperatorSpillWhenNothingIsFree() {
        Sorter sorter = new Sorter(task.manager);
        sorter.acquireMemory(950_000);
        assertFalse(task.readAhead(100_000));
        Lease head = task.budget.reserveHead(100_000);
        assertEquals(50_000, task.budget.overdraft());
        assertEquals(0, sorter.spills);
        head.close();
        sorter.freeMemory(950_000);
        assertEquals(0, task.end());
    }

    @Test
    void readAheadMakesNoOperatorSpillWhenTheTasksShareIsUsedUp() {
        // Two tasks: each may hold half. This one's sort has nearly all of its half, and much is free for the other.
        Task other = new Task(1);
        assertTrue(other.readAhead(1_000));
        Sorter sorter = new Sorter(task.manager);
        assertEquals(480_000, sorter.acquireMemory(480_000));
        assertFalse(task.readAhead(100_000));
        assertEquals(0, sorter.spills, "the task's own sort must not pay for read-ahead");
        Lease head = task.budget.reserveHead(100_000);
        assertEquals(80_000, task.budget.overdraft());
        assertEquals(0, sorter.spills);
        assertEquals(500_000, task.manager.getMemoryConsumptionForThisTask());
        head.close();
        task.budget.settle();
        assertEquals(480_000, task.manager.getMemoryConsumptionForThisTask());
        assertTrue(task.readAhead(20_000));
        assertEquals(0, sorter.spills);
        sorter.freeMemory(480_000);
        other.ahead.forEach(Lease::close);
        assertEquals(0, other.end());
        task.ahead.forEach(Lease::close);
        assertEquals(0, task.end());
    }

    @Test
    void ourOwnRequestNeverEvictsOurOwnReadAhead() {
        assertTrue(task.readAhead(600_000));
        assertEquals(0, task.consumer.spill(100_000, task.consumer));
        assertFalse(task.readAhead(600_000));
        assertEquals(1, task.ahead.size());
        task.ahead.forEach(Lease::close);
        assertEquals(0, task.end());
    }

    @Test
    void aLateFetchLeaksNoTaskMemory() {
        assertTrue(task.readAhead(200_000));
        Lease late = task.ahead.poll();
        assertEquals(0, task.end());
        assertEquals(200_000, executor.inUse());
        late.close();
        task.budget.settle();
        assertEquals(0, executor.inUse());
        assertEquals(0, memory.getExecutionMemoryUsageForTask(0));
        assertFalse(task.readAhead(1));
        try (Lease head = task.budget.reserveHead(500)) {
            assertEquals(500, head.bytes());
            assertEquals(0, memory.getExecutionMemoryUsageForTask(0), "nothing is acquired after the end");
        }
        assertEquals(0, executor.inUse());
    }

    @Test
    void endingOnAnotherThreadLeaksNothing() throws InterruptedException {
        for (int round = 1; round <= 500; round++) {
            Task racing = new Task(round);
            Thread reader = new Thread(() -> {
                List<Lease> leases = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    racing.budget.tryReserve(1_000).ifPresent(leases::add);
                    leases.add(racing.budget.reserveHead(1_000));
                    racing.budget.settle();
                }
                leases.forEach(Lease::close);
                racing.budget.settle();
            });
            reader.start();
            racing.budget.close();
            reader.join();
            assertEquals(0, memory.getExecutionMemoryUsageForTask(round), "round " + round);
            assertEquals(0, executor.inUse(), "round " + round);
        }
    }

    @Test
    void readAheadOfManyTasksEvictsNothing() throws InterruptedException {
        // Cached blocks beyond the storage region may be evicted; an attempt fails, because there is no block store.
        UnifiedMemoryManager contended = new UnifiedMemoryManager(new SparkConf(false), HEAP, 0, 4);
        assertTrue(contended.acquireStorageMemory(new TestBlockId("cached"), HEAP / 2, MemoryMode.ON_HEAP));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int attempt = t;
            threads.add(new Thread(() -> {
                try {
                    TaskMemoryManager manager = new TaskMemoryManager(contended, attempt);
                    ReadAheadConsumer consumer = new ReadAheadConsumer(manager, contended, attempt);
                    TaskBudget budget = new TaskBudget(executor, consumer, Long.MAX_VALUE);
                    Random random = new Random(attempt);
                    for (int i = 0; i < 50_000; i++) {
                        budget.tryReserve(1 + random.nextInt((int) HEAP / 4)).ifPresent(Lease::close);
                    }
                    budget.close();
                    assertEquals(0, manager.cleanUpAllAllocatedMemory());
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(40_000);
            assertFalse(thread.isAlive(), "a task waits for memory");
        }
        assertEquals(null, failure.get());
        assertEquals(HEAP / 2, contended.storageMemoryUsed());
    }

    @Test
    void tasksUnderConstantPressureAllEndWithNothingHeld() throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 10; t < 14; t++) {
            int attempt = t;
            Thread thread = new Thread(() -> {
                try {
                    Random random = new Random(attempt);
                    Task each = new Task(attempt);
                    Sorter sorter = new Sorter(each.manager);
                    for (int i = 0; i < 3_000; i++) {
                        switch (random.nextInt(5)) {
                            case 0 -> sorter.acquireMemory(1 + random.nextInt(200_000));
                            case 1 -> sorter.freeMemory(sorter.getUsed());
                            case 2 -> each.ahead.add(each.budget.reserveHead(1 + random.nextInt(50_000)));
                            case 3 -> each.readAhead(1 + random.nextInt(100_000));
                            default -> {
                                if (!each.ahead.isEmpty()) {
                                    each.ahead.poll().close();
                                }
                            }
                        }
                    }
                    sorter.freeMemory(sorter.getUsed());
                    each.ahead.forEach(Lease::close);
                    assertEquals(0, each.end(), "task " + attempt + " leaks");
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join(40_000);
            assertFalse(thread.isAlive(), "a task hangs");
        }
        assertEquals(null, failure.get());
        assertEquals(0, executor.inUse());
        assertEquals(HEAP, task.consumer.free());
    }
}
