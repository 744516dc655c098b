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

        /** Another operator of the task; without one read-ahead is granted nothing. */
        private final Sorter base;

        /** What is read ahead, oldest first. */
        private final Deque<Lease> ahead = new ArrayDeque<>();

        Task(long attempt) {
            manager = new TaskMemoryManager(memory, attempt);
            consumer = new ReadAheadConsumer(manager, memory, attempt);
            budget = new TaskBudget(executor, consumer, Long.MAX_VALUE);
            consumer.onPressure(this::giveBack);
            base = new Sorter(manager);
        }

        /** This task, one of whose operators holds a byte and keeps it. */
        Task withOperator() {
            assertEquals(1, base.acquireMemory(1));
            base.keeps = true;
            return this;
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
            base.freeMemory(base.getUsed());
            return manager.cleanUpAllAllocatedMemory();
        }
    }

    /** An operator that spills all it has when it is asked to. */
    private static final class Sorter extends MemoryConsumer {
        private int spills;
        private boolean keeps;

        Sorter(TaskMemoryManager manager) {
            super(manager, manager.pageSizeBytes(), MemoryMode.ON_HEAP);
        }

        @Override
        public long spill(long size, MemoryConsumer trigger) {
            if (keeps) {
                return 0;
            }
            spills++;
            long all = getUsed();
            freeMemory(all);
            return all;
        }
    }

    @Test
    void whatIsReservedIsTheTasks() {
        task.withOperator();
        assertTrue(task.readAhead(300_000));
        assertEquals(300_001, task.manager.getMemoryConsumptionForThisTask());
        assertEquals(HEAP - 300_001, task.consumer.free());
        task.ahead.poll().close();
        task.budget.settle();
        assertEquals(1, task.manager.getMemoryConsumptionForThisTask());
        assertEquals(0, task.end());
    }

    @Test
    void anOperatorThatNeedsMemoryGetsOurs() {
        task.withOperator();
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
    void anOperatorHasAsMuchAsWithoutReadAhead() {
        Sorter sorter = new Sorter(task.manager);
        assertEquals(600_000, sorter.acquireMemory(600_000));
        assertTrue(task.readAhead(300_000));
        task.ahead.peek().claim();
        task.budget.settle();
        assertEquals(400_000, sorter.acquireMemory(400_000), "what is decoded is on top, as with Spark's own reader");
        assertEquals(0, sorter.spills);
        assertEquals(300_000, executor.inUse());
        task.ahead.poll().close();
        sorter.freeMemory(HEAP);
        assertEquals(0, task.end());
    }

    @Test
    void aScanAloneTakesNoShareFromOtherTasks() {
        Task scan = new Task(1);
        Task join = new Task(2);
        assertTrue(scan.readAhead(200_000));
        assertTrue(join.readAhead(100_000), "a second scan of that task");
        ReadAheadConsumer second = new ReadAheadConsumer(scan.manager, memory, 1);
        assertFalse(second.othersHold());
        assertEquals(0, memory.getExecutionMemoryUsageForTask(1));
        Sorter sorter = new Sorter(task.manager);
        assertEquals(HEAP, sorter.acquireMemory(HEAP), "all, as if nobody else was there");
        assertEquals(0, sorter.spills);
        assertEquals(200_000, scan.budget.excess(), "whoever reads ahead has to shrink now");
        assertFalse(scan.readAhead(1));
        sorter.freeMemory(HEAP);
        assertEquals(0, scan.budget.excess());
        scan.ahead.forEach(Lease::close);
        join.ahead.forEach(Lease::close);
        assertEquals(0, scan.end());
        assertEquals(0, join.end());
        assertEquals(0, task.end());
        assertEquals(0, executor.inUse());
    }

    @Test
    void whenTheTasksOperatorsEndScansOfItDoNotKeepItInThePool() {
        task.withOperator();
        ReadAheadConsumer second = new ReadAheadConsumer(task.manager, memory, 0);
        TaskBudget other = new TaskBudget(executor, second, Long.MAX_VALUE);
        assertTrue(task.readAhead(100_000));
        Lease lease = other.tryReserve(50_000).orElseThrow();
        assertEquals(150_001, memory.getExecutionMemoryUsageForTask(0));
        task.base.freeMemory(1);
        assertFalse(task.consumer.othersHold(), "what the other scan holds is ours");
        task.budget.balance();
        other.balance();
        assertEquals(0, memory.getExecutionMemoryUsageForTask(0));
        assertEquals(150_000, executor.inUse());
        lease.close();
        other.close();
        task.ahead.forEach(Lease::close);
        assertEquals(0, task.end());
    }

    @Test
    void readAheadMakesNoOperatorSpillWhenNothingIsFree() {
        Sorter sorter = new Sorter(task.manager);
        sorter.acquireMemory(950_000);
        assertFalse(task.readAhead(100_000));
        Lease head = task.budget.reserveHead(100_000);
        assertEquals(950_000, memory.executionMemoryUsed());
        assertEquals(0, sorter.spills);
        head.close();
        sorter.freeMemory(950_000);
        assertEquals(0, task.end());
    }

    @Test
    void readAheadMakesNoOperatorSpillWhenTheTasksShareIsUsedUp() {
        // Two tasks: each may hold half. This one's sort has nearly all of its half, and much is free for the other.
        Task other = new Task(1).withOperator();
        Sorter sorter = new Sorter(task.manager);
        assertEquals(480_000, sorter.acquireMemory(480_000));
        assertFalse(task.readAhead(100_000));
        assertEquals(0, sorter.spills, "the task's own sort must not pay for read-ahead");
        Lease head = task.budget.reserveHead(100_000);
        assertEquals(0, sorter.spills);
        assertEquals(480_000, task.manager.getMemoryConsumptionForThisTask());
        head.close();
        assertTrue(task.readAhead(20_000));
        assertEquals(500_000, task.manager.getMemoryConsumptionForThisTask());
        assertEquals(0, sorter.spills);
        sorter.freeMemory(480_000);
        task.ahead.forEach(Lease::close);
        assertEquals(0, other.end());
        assertEquals(0, task.end());
    }

    @Test
    void ourOwnRequestNeverEvictsOurOwnReadAhead() {
        task.withOperator();
        assertTrue(task.readAhead(600_000));
        assertEquals(0, task.consumer.spill(100_000, task.consumer));
        assertFalse(task.readAhead(600_000));
        assertEquals(1, task.ahead.size());
        task.ahead.forEach(Lease::close);
        assertEquals(0, task.end());
    }

    @Test
    void aLateFetchLeaksNoTaskMemory() {
        task.withOperator();
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
            Task racing = new Task(round).withOperator();
            Thread reader = new Thread(() -> {
                List<Lease> leases = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    racing.budget.tryReserve(1_000).ifPresent(leases::add);
                    leases.add(racing.budget.reserveHead(1_000));
                    racing.budget.balance();
                }
                leases.forEach(Lease::close);
                racing.budget.settle();
            });
            reader.start();
            racing.budget.close();
            reader.join();
            racing.base.freeMemory(1);
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
                    Sorter operator = new Sorter(manager);
                    operator.acquireMemory(1);
                    Random random = new Random(attempt);
                    for (int i = 0; i < 50_000; i++) {
                        budget.tryReserve(1 + random.nextInt((int) HEAP / 4)).ifPresent(Lease::close);
                    }
                    budget.close();
                    assertEquals(0, operator.spills);
                    operator.freeMemory(1);
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
                        switch (random.nextInt(7)) {
                            case 0 -> sorter.acquireMemory(1 + random.nextInt(200_000));
                            case 1 -> sorter.freeMemory(sorter.getUsed());
                            case 2 -> each.ahead.add(each.budget.reserveHead(1 + random.nextInt(50_000)));
                            case 3 -> each.readAhead(1 + random.nextInt(100_000));
                            case 4 -> each.budget.balance();
                            case 5 -> {
                                if (!each.ahead.isEmpty()) {
                                    each.ahead.peek().claim();
                                }
                            }
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
