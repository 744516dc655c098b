// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import java.util.concurrent.TimeUnit;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/**
 * Adds up what tasks report, failed ones included. Spark delivers its events late but in order, and the end of a query
 * comes after the ends of its tasks: that is what {@link #await} waits for.
 */
final class TaskTotals extends SparkListener {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private long cpuNanos;
    private long memorySpilled;
    private long diskSpilled;
    private int queriesEnded;

    /** What tasks have reported so far: CPU time of their threads (ns) and bytes that operators spilled. */
    record Sums(long cpuNanos, long memorySpilled, long diskSpilled) {
        Sums minus(Sums other) {
            return new Sums(
                    cpuNanos - other.cpuNanos, memorySpilled - other.memorySpilled, diskSpilled - other.diskSpilled);
        }
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        TaskMetrics metrics = end.taskMetrics();
        if (metrics != null) {
            cpuNanos += metrics.executorCpuTime();
            memorySpilled += metrics.memoryBytesSpilled();
            diskSpilled += metrics.diskBytesSpilled();
        }
    }

    @Override
    public synchronized void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionEnd) {
            queriesEnded++;
            notifyAll();
        }
    }

    /** The sums once so many queries have ended in all. */
    synchronized Sums await(int queries) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (queriesEnded < queries) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException(
                        "Spark reported the ends of " + queriesEnded + " queries, not of " + queries);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return new Sums(cpuNanos, memorySpilled, diskSpilled);
    }
}
