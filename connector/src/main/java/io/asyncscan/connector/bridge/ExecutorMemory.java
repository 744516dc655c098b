// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.reader.fetch.ExecutorResources;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;

/**
 * What read-ahead may have of the memory of this process.
 *
 * <p>Internals: {@link SparkEnv} for Spark's memory manager, which is asked what is free.
 */
public final class ExecutorMemory {
    private ExecutorMemory() {}

    /**
     * Most bytes that all read-ahead of this executor may hold now: {@code memoryFraction} of what is free or held by it.
     * Zero where Spark does not run, as after it has stopped. Any thread.
     */
    public static long readAheadBudget() {
        SparkEnv env = SparkEnv.get();
        if (env == null) {
            return 0;
        }
        MemoryManager memory = env.memoryManager();
        int cores =
                env.conf().getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
        double fraction =
                OptionsParser.executor(SessionSettings.process(), cores).memoryFraction();
        // As read-ahead itself sees it: what storage could have at most is what execution does not hold.
        return ExecutorResources.allowance(
                fraction, () -> Math.max(0, memory.maxOnHeapStorageMemory() - memory.onHeapStorageMemoryUsed()));
    }
}
