// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor.task;

import io.asyncscan.governor.TaskMemory;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Read-ahead as one more memory consumer of its task. Buffers are on-heap, so on-heap memory is asked for; a spill is
 * then only offered to us by on-heap consumers.
 *
 * <p>{@link #spill} is called by Spark on the thread that acquires memory for the task, while it holds the
 * {@link TaskMemoryManager}'s monitor. It gives back read-ahead that nobody has claimed, takes no lock of the reader's
 * that is held while memory is acquired, and waits for nothing.
 *
 * <p>The superclass keeps its own count in a field whose type changed in Spark 4.2; it is never touched here.
 */
public final class ReadAheadConsumer extends MemoryConsumer implements TaskMemory {
    /** What the consumers of a task hold together: a task may have several scans. Entries end with their managers. */
    private static final Map<TaskMemoryManager, AtomicLong> HELD = Collections.synchronizedMap(new WeakHashMap<>());

    private final TaskMemoryManager manager;
    private final MemoryManager memory;
    private final long taskAttemptId;

    /** Bytes that read-ahead of this task holds, all of its scans together. */
    private final AtomicLong held;

    /** Set by the task thread, asked by whichever thread acquires memory for the task. */
    private volatile LongUnaryOperator giveBack = bytes -> 0;

    /**
     * A consumer of one task.
     *
     * @param manager the task's
     * @param memory the executor's
     * @param taskAttemptId the task that {@code manager} belongs to
     */
    public ReadAheadConsumer(TaskMemoryManager manager, MemoryManager memory, long taskAttemptId) {
        super(manager, manager.pageSizeBytes(), MemoryMode.ON_HEAP);
        this.manager = manager;
        this.memory = memory;
        this.taskAttemptId = taskAttemptId;
        this.held = HELD.computeIfAbsent(manager, any -> new AtomicLong());
    }

    /**
     * Says how read-ahead is given back.
     *
     * @param operator asked for a number of bytes, drops read-ahead and returns how many bytes it has released through
     *     {@link #release} meanwhile; called on the thread that acquires memory for the task, which is not the one that
     *     reads where rows go through an external process
     */
    public void onPressure(LongUnaryOperator operator) {
        giveBack = operator;
    }

    @Override
    public long free() {
        // What storage could have at most is what execution does not hold.
        return Math.max(0, memory.maxOnHeapStorageMemory() - memory.onHeapStorageMemoryUsed());
    }

    /**
     * {@inheritDoc}
     *
     * <p>Memory off the heap counts as well: then read-ahead is granted memory on the heap, where no operator wants any.
     */
    @Override
    public boolean othersHold() {
        return manager.getMemoryConsumptionForThisTask() > held.get();
    }

    /**
     * {@inheritDoc}
     *
     * <p>A task may hold its share of the executor's memory only, however much is free. Asked for more, Spark makes the
     * task's other consumers spill. So the executor's memory is asked first what there is without that, and only as much
     * is then acquired as this task's consumer, from whom others may have it back.
     *
     * <p>All of it is one step for other tasks and for the cache, under the two monitors that Spark itself takes, in its
     * order. Otherwise what was free could be taken in between, and Spark would evict cached blocks for us, make an
     * operator of ours spill, or let the task wait for others.
     */
    @Override
    public long acquire(long bytes) {
        synchronized (manager) {
            synchronized (memory) {
                long wanted = Math.min(bytes, free());
                if (wanted == 0) {
                    return 0;
                }
                long available = memory.acquireExecutionMemory(wanted, taskAttemptId, MemoryMode.ON_HEAP);
                memory.releaseExecutionMemory(available, taskAttemptId, MemoryMode.ON_HEAP);
                long got = available == 0 ? 0 : acquireMemory(available);
                held.addAndGet(got);
                return got;
            }
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Under the task's manager's monitor, because where rows go through an external process the thread that reads is
     * not the one that acquires memory for operators: Spark's pool forgets a task that has given all of its memory back,
     * also while another thread of it is waiting for more, and that thread then fails. Besides, the superclass counts
     * what it holds in a plain field before Spark 4.2.
     */
    @Override
    public void release(long bytes) {
        synchronized (manager) {
            freeMemory(bytes);
            held.addAndGet(-bytes);
        }
    }

    @Override
    public long spill(long size, MemoryConsumer trigger) {
        // Our own request never evicts our own read-ahead: that would only fetch the same bytes twice.
        return trigger == this ? 0 : giveBack.applyAsLong(size);
    }
}
