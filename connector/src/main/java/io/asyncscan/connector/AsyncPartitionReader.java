// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ScanReader;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;

/**
 * The reader of one task. Spark calls it from the thread that pulls rows and closes it when the task completes, however
 * that comes about.
 *
 * @param <T> rows or batches
 */
final class AsyncPartitionReader<T> implements PartitionReader<T> {
    private final ScanReader reader;
    private final int limit;
    private final ToIntFunction<T> rows;
    private final Function<Object, T> output;
    private T value;
    private long returned;
    private CustomTaskMetric[] before = new CustomTaskMetric[0];

    /**
     * A reader over {@code reader}, which it owns.
     *
     * @param limit rows that are wanted at most, or -1: Spark cuts exactly, this one stops reading
     * @param rows how many rows a value has
     * @param output makes the scan's value of the decoder's
     */
    AsyncPartitionReader(ScanReader reader, int limit, ToIntFunction<T> rows, Function<Object, T> output) {
        this.reader = reader;
        this.limit = limit;
        this.rows = rows;
        this.output = output;
    }

    @Override
    public boolean next() throws IOException {
        if ((limit >= 0 && returned >= limit) || !reader.next()) {
            value = null;
            return false;
        }
        value = output.apply(reader.get());
        returned += rows.applyAsInt(value);
        return true;
    }

    @Override
    public T get() {
        return value;
    }

    @Override
    public void initMetricsValues(CustomTaskMetric[] metrics) {
        // The task read another partition before this one.
        before = metrics;
    }

    @Override
    public CustomTaskMetric[] currentMetricsValues() {
        return ScanMetrics.together(before, ScanMetrics.ofTask(reader.counters()));
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
