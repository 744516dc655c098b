// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ExecutorOptions;
import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.governor.task.ReadAheadConsumer;
import io.asyncscan.reader.fetch.AsyncPool;
import io.asyncscan.reader.fetch.BufferPool;
import io.asyncscan.reader.fetch.ExecutorResources;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.RangePlanner;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;

/**
 * What the scan of one task works with: the executor's pool and account, the task's memory, the file systems' byte
 * sources. Made and closed by the task.
 *
 * <p>Internals: {@link SparkEnv} for the executor's memory manager, the task's own from its {@link TaskContext}, to be
 * one of its consumers.
 */
final class TaskServices implements ScanServices, AutoCloseable {
    private final ReadOptions options;
    private final StoreAccess stores;
    private final ExecutorResources.Handle resources;
    private final ReadAheadConsumer consumer;
    private final TaskBudget budget;
    private final BooleanSupplier killed;

    TaskServices(ReadTask task, TaskContext context) {
        this(task.options(), StoreAccess.behindViews(task.conf(), task.options()), context);
    }

    TaskServices(ReadOptions options, StoreAccess stores, TaskContext context) {
        this.options = options;
        this.stores = stores;
        SparkEnv env = SparkEnv.get();
        int cores =
                env.conf().getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
        ExecutorOptions executor = OptionsParser.executor(SessionSettings.process(), cores);
        this.resources = ExecutorResources.acquire(executor.asyncThreads(), cores, executor.memoryFraction());
        this.consumer =
                new ReadAheadConsumer(context.taskMemoryManager(), env.memoryManager(), context.taskAttemptId());
        this.budget = new TaskBudget(resources.budget(), consumer, options.readAheadMaxBytes());
        this.killed = context::isInterrupted;
    }

    /** How read-ahead is given back when an operator of the task needs memory. */
    void onPressure(LongUnaryOperator giveBack) {
        consumer.onPressure(giveBack);
    }

    @Override
    public AsyncPool pool() {
        return resources.pool();
    }

    @Override
    public BufferPool buffers() {
        return resources.buffers();
    }

    @Override
    public TaskBudget budget() {
        return budget;
    }

    @Override
    public ScanCounters counters() {
        return resources.counters();
    }

    @Override
    public int readAheadDepth() {
        return options.readAheadDepth();
    }

    @Override
    public boolean hedge() {
        return options.hedge();
    }

    @Override
    public BooleanSupplier killed() {
        return killed;
    }

    @Override
    public ByteSource source(FileRef file) throws IOException {
        return stores.of(file).source();
    }

    @Override
    public List<ByteRange> requests(FileRef file, List<ByteRange> wanted) throws IOException {
        return RangePlanner.plan(wanted, stores.of(file).ranges());
    }

    @Override
    public List<ByteRange> requests(FileRef file, List<ByteRange> wanted, int longest) throws IOException {
        return RangePlanner.plan(wanted, stores.of(file).ranges().withParts(longest));
    }

    @Override
    public long requestCost(FileRef file) throws IOException {
        return stores.of(file).ranges().maxCoalesceGap();
    }

    @Override
    public void close() {
        consumer.onPressure(bytes -> 0);
        budget.close();
        resources.close();
    }
}
