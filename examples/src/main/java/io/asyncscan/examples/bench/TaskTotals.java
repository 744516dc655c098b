// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/**
 * Adds up what tasks report, failed ones included. Spark delivers its events late but in order, and the end of a query
 * comes after the ends of its tasks: that is what {@link #await} waits for.
 */
final class TaskTotals extends SparkListener {
    /** Local property that names the run of a query to which a job belongs. */
    static final String RUN = "asyncscan.bench.run";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Map<Integer, String> runs = new HashMap<>();
    private final Map<String, Sums> sums = new HashMap<>();
    private int queriesEnded;

    /** What tasks have reported so far: CPU time of their threads (ns) and bytes that operators spilled. */
    record Sums(long cpuNanos, long memorySpilled, long diskSpilled) {
        static final Sums NONE = new Sums(0, 0, 0);

        Sums plus(Sums other) {
            return new Sums(
                    cpuNanos + other.cpuNanos, memorySpilled + other.memorySpilled, diskSpilled + other.diskSpilled);
        }
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted submitted) {
        Properties properties = submitted.properties();
        runs.put(submitted.stageInfo().stageId(), properties == null ? "" : properties.getProperty(RUN, ""));
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        TaskMetrics metrics = end.taskMetrics();
        if (metrics != null) {
            sums.merge(
                    runs.getOrDefault(end.stageId(), ""),
                    new Sums(metrics.executorCpuTime(), metrics.memoryBytesSpilled(), metrics.diskBytesSpilled()),
                    Sums::plus);
        }
    }

    @Override
    public synchronized void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionEnd) {
            queriesEnded++;
            notifyAll();
        }
    }

    /** The sums by run, once so many queries have ended in all. */
    synchronized Map<String, Sums> await(int queries) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (queriesEnded < queries) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException(
                        "Spark reported the ends of " + queriesEnded + " queries, not of " + queries);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return Map.copyOf(sums);
    }
}
