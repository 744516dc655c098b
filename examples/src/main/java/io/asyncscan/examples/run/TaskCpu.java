// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.run;

import java.util.concurrent.TimeUnit;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/**
 * Adds up the CPU time of task threads. Spark delivers its events late but in order, and the end of a query comes after
 * the ends of its tasks: that is what {@link #awaitSeconds} waits for.
 */
final class TaskCpu extends SparkListener {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private long nanos;
    private boolean queryEnded;

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        if (end.taskMetrics() != null) {
            nanos += end.taskMetrics().executorCpuTime();
        }
    }

    @Override
    public synchronized void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionEnd) {
            queryEnded = true;
            notifyAll();
        }
    }

    /** Forgets all tasks. Events of an earlier query must have been awaited. */
    synchronized void reset() {
        nanos = 0;
        queryEnded = false;
    }

    /** CPU seconds since the reset, once a query has ended. */
    synchronized double awaitSeconds() throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!queryEnded) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException("Spark did not report the end of the query");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return (double) nanos / 1e9;
    }
}
