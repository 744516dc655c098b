// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Between the look at what is free and the moment it is taken, nobody else may take it. */
@Timeout(60)
class FreeMemoryRaceTest {
    private static final long HEAP = 1_000_000;

    /** What happens within the next look at what is free. */
    private final AtomicReference<Runnable> look = new AtomicReference<>(() -> {});

    private final UnifiedMemoryManager memory = new UnifiedMemoryManager(new SparkConf(false), HEAP, HEAP / 2, 1) {
        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // somebody else must be able to get in
        public long maxOnHeapStorageMemory() {
            long answer = super.maxOnHeapStorageMemory();
            look.getAndSet(() -> {}).run();
            return answer;
        }
    };

    /** An operator that counts how often it is asked to spill. */
    private static final class Operator extends MemoryConsumer {
        private int spills;

        Operator(TaskMemoryManager manager) {
            super(manager, manager.pageSizeBytes(), MemoryMode.ON_HEAP);
        }

        @Override
        public long spill(long size, MemoryConsumer trigger) {
            spills++;
            return 0;
        }
    }

    @Test
    void anotherTaskThatWantsAllAtThatMoment() throws InterruptedException {
        TaskMemoryManager manager = new TaskMemoryManager(memory, 1);
        ReadAheadConsumer consumer = new ReadAheadConsumer(manager, memory, 1);
        Operator own = new Operator(manager);
        assertEquals(100_000, own.acquireMemory(100_000));
        Operator greedy = new Operator(new TaskMemoryManager(memory, 2));
        Thread other = new Thread(() -> greedy.acquireMemory(HEAP));
        look.set(() -> {
            other.start();
            long deadline = System.nanoTime() + 20_000_000_000L;
            // It has what it wants, or cannot get at it.
            while (other.getState() != Thread.State.BLOCKED
                    && other.getState() != Thread.State.TERMINATED
                    && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
        });
        long got = consumer.acquire(900_000);
        assertEquals(0, own.spills, "the task's own operator paid for read-ahead");
        assertEquals(900_000, got, "what was free when it was looked at");
        consumer.release(got);
        other.join(20_000);
        assertFalse(other.isAlive(), "the other task waits");
        own.freeMemory(100_000);
        greedy.freeMemory(greedy.getUsed());
        assertEquals(0, memory.executionMemoryUsed());
    }

    @Test
    void aShareThatIsUsedUpIsNoReasonToSpill() {
        // Two tasks, half of the memory each; ours has all of its half, and the rest is free.
        TaskMemoryManager manager = new TaskMemoryManager(memory, 1);
        Operator own = new Operator(manager);
        Operator other = new Operator(new TaskMemoryManager(memory, 2));
        assertEquals(1_000, other.acquireMemory(1_000));
        assertEquals(HEAP / 2, own.acquireMemory(HEAP / 2));
        ReadAheadConsumer consumer = new ReadAheadConsumer(manager, memory, 1);
        assertEquals(0, consumer.acquire(100_000));
        assertEquals(0, own.spills);
        own.freeMemory(HEAP / 2);
        other.freeMemory(1_000);
        assertEquals(0, memory.executionMemoryUsed());
    }
}
