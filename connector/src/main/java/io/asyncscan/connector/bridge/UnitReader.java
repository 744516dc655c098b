// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.ThreadBytesRead;
import io.asyncscan.reader.view.FileView;
import io.asyncscan.reader.view.ViewFileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
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
    /**
     * How many rows pass between two looks at the queue, the clock and the accounts. These take some 150 ns together, as
     * much as it takes to decode a short row, and 64 rows pass within 0.1 ms. One row in so many is timed and stands for
     * the others.
     */
    private static final int ROWS = 64;

    private final ReadTask task;
    private final TaskServices services;
    private final TaskScan scan;

    /** Bytes that Spark's task metrics know of. */
    private long credited;

    private Iterator<?> iterator;
    private Object value;

    /** What the reader decodes through; null if it is shown the file itself. */
    private FileView view;

    /** Whether the unit's first row or batch was asked for. */
    private boolean opened;

    /** Rows that may be returned before the next look. */
    private int unattended;

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
        return scan.next();
    }

    /**
     * Starts to decode the unit of {@code step}.
     *
     * @param file the unit's file; which part of it is told to Spark's reader is for the step to say
     */
    void open(TaskScan.Step step, PartitionedFile file) {
        PartitionedFile told = part(file, step.told().start(), step.told().length());
        view = step.view().orElse(null);
        opened = false;
        unattended = 0;
        iterator = throughView(() -> task.reader().apply(told));
    }

    /** Moves to the unit's next row or batch, if there is one. */
    boolean advance() throws IOException {
        if (iterator == null) {
            return false;
        }
        if (unattended > 0) {
            unattended--;
            return step();
        }
        // Readers of whole files open theirs when they are asked for the first row.
        boolean more = opened ? timed(this::step, value instanceof ColumnarBatch ? 1 : ROWS) : throughView(this::step);
        opened = true;
        if (more) {
            scan.topUp();
            credit();
            unattended = value instanceof ColumnarBatch ? 0 : ROWS - 1;
        }
        return more;
    }

    private boolean step() {
        boolean more = iterator.hasNext();
        value = more ? iterator.next() : null;
        return more;
    }

    /** Runs a step of the reader in which it may open the file. */
    private <T> T throughView(Supplier<T> step) {
        if (view != null) {
            ViewFileSystem.bind(view);
        }
        try {
            return timed(step, 1);
        } finally {
            ViewFileSystem.unbind();
        }
    }

    /**
     * Runs a step of the reader; what of its time was not spent waiting for bytes is decoding.
     *
     * @param weight how many steps it stands for
     */
    private <T> T timed(Supplier<T> step, int weight) {
        ScanCounters counters = services.counters();
        long stalled = counters.stallNanos.sum();
        long start = System.nanoTime();
        try {
            return step.get();
        } finally {
            long waited = counters.stallNanos.sum() - stalled;
            counters.decodeNanos.add(weight * Math.max(0, System.nanoTime() - start - waited));
        }
    }

    /** The row or batch: what Spark's reader returned. */
    Object value() {
        return value;
    }

    /**
     * Tells Spark's task metrics, which go by the Hadoop statistics of the task thread, of bytes that other threads
     * fetched. What this thread fetched through a Hadoop file system has been counted there already.
     */
    private void credit() {
        ScanCounters counters = services.counters();
        long total = counters.bytesFetched.sum() - counters.bytesCountedByHadoop.sum();
        if (total > credited) {
            ThreadBytesRead.credit(total - credited);
            credited = total;
        }
    }

    /** Ends the unit the reader is in, if it is in one. */
    void leave() throws IOException {
        Iterator<?> open = iterator;
        iterator = null;
        value = null;
        view = null;
        try {
            if (open instanceof Closeable closeable) {
                closeable.close();
            }
        } finally {
            scan.leave();
            credit();
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
        long before = credited;
        try {
            leave();
        } finally {
            try {
                scan.close();
            } finally {
                services.close();
            }
        }
        credit();
        return credited - before;
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
