// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.ThreadBytesRead;
import io.asyncscan.reader.view.ViewFileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.Iterator;

/**
 * Decodes the units of one task one after the other: calls Spark's reader for each, over a view whose bytes the queue
 * fetches ahead, and counts. Errors are thrown as they come.
 *
 * <p>Used by the thread that pulls rows; {@link #close} may come from a task completion listener on another one.
 *
 * <p>Internals: {@link PartitionedFile}, the argument of Spark's reader.
 */
final class UnitReader implements AutoCloseable {
    /** Rows between two looks at queue and counters, where rows come one by one: a look costs as much as a short row. */
    private static final int ROWS_BETWEEN_LOOKS = 128;

    private final ReadTask task;
    private final TaskServices services;
    private final TaskScan scan;

    /** Bytes that Spark's task metrics know of. */
    private long credited;

    private Iterator<?> iterator;
    private Object value;
    private int rowsSinceLook;

    /** Time spent in Spark's reader since the last look (ns), waiting included. */
    private long readerNanos;

    /** Time waited before the last look (ns). */
    private long stalledBefore;

    /** A reader for {@code units}, for the task of {@code context}. Nothing is fetched before {@link #next}. */
    UnitReader(ReadTask task, List<ScanUnit> units, TaskContext context) {
        this.task = task;
        this.services = new TaskServices(task, context);
        this.scan = task.open(units, services);
        services.onPressure(scan::giveBack);
    }

    /** What was counted so far. */
    ScanCounters counters() {
        return services.counters();
    }

    /** Moves to the next unit, if there is one, and ends the one before. {@link #open} is to follow. */
    Optional<TaskScan.Step> next() throws IOException {
        leave();
        try {
            return scan.next();
        } finally {
            stalledBefore = services.counters().stallNanos.sum();
        }
    }

    /**
     * Starts to decode the unit of {@code step}.
     *
     * @param file the unit's file; which part of it is told to Spark's reader is for the step to say
     */
    void open(TaskScan.Step step, PartitionedFile file) throws IOException {
        PartitionedFile told = part(file, step.told().start(), step.told().length());
        if (step.view().isEmpty()) {
            start(told);
            return;
        }
        ViewFileSystem.bind(step.view().get());
        try {
            start(told);
        } finally {
            ViewFileSystem.unbind();
        }
    }

    private void start(PartitionedFile told) {
        long start = System.nanoTime();
        try {
            iterator = task.reader().apply(told);
        } finally {
            readerNanos += System.nanoTime() - start;
        }
    }

    /** Moves to the unit's next row or batch, if there is one. */
    boolean advance() throws IOException {
        if (iterator == null) {
            return false;
        }
        long start = System.nanoTime();
        boolean more;
        try {
            more = iterator.hasNext();
            value = more ? iterator.next() : null;
        } finally {
            readerNanos += System.nanoTime() - start;
        }
        if (!more || value instanceof ColumnarBatch || ++rowsSinceLook == ROWS_BETWEEN_LOOKS) {
            look();
        }
        return more;
    }

    /** The row or batch: what Spark's reader returned. */
    Object value() {
        return value;
    }

    /** Fetches further ahead and brings the counters up to date. */
    private void look() throws IOException {
        rowsSinceLook = 0;
        count();
        scan.topUp();
        credit();
    }

    /** What of the time in the reader was not spent waiting for bytes is decoding. */
    private void count() {
        ScanCounters counters = services.counters();
        long stalled = counters.stallNanos.sum();
        counters.decodeNanos.add(Math.max(0, readerNanos - (stalled - stalledBefore)));
        readerNanos = 0;
        stalledBefore = stalled;
    }

    /**
     * Tells Spark's task metrics, which go by the Hadoop statistics of the task thread, of bytes that other threads
     * fetched. What this thread fetched through a Hadoop file system has been counted there already.
     *
     * @return bytes that were not known before
     */
    private long credit() {
        ScanCounters counters = services.counters();
        long total = counters.bytesFetched.sum() - counters.bytesCountedByHadoop.sum();
        long added = Math.max(0, total - credited);
        if (added > 0) {
            ThreadBytesRead.credit(added);
            credited = total;
        }
        return added;
    }

    /** Ends the unit the reader is in, if it is in one. */
    void leave() throws IOException {
        Iterator<?> open = iterator;
        iterator = null;
        value = null;
        count();
        try {
            if (open instanceof Closeable closeable) {
                closeable.close();
            }
        } finally {
            scan.leave();
        }
    }

    /** Ends the scan: aborts what is under way and returns all memory. To be called once. */
    @Override
    public void close() throws IOException {
        finish();
    }

    /**
     * Does what {@link #close} does.
     *
     * @return bytes that became known to Spark's task metrics by it
     */
    long finish() throws IOException {
        try {
            leave();
        } finally {
            try {
                scan.close();
            } finally {
                services.close();
            }
        }
        return credit();
    }

    /** The part {@code [start, start + length)} of {@code file}, all else as it is. */
    static PartitionedFile part(PartitionedFile file, long start, long length) {
        return new PartitionedFile(
                file.partitionValues(),
                file.filePath(),
                start,
                length,
                file.locations(),
                file.modificationTime(),
                file.fileSize(),
                file.otherConstantMetadataColumnValues());
    }
}
