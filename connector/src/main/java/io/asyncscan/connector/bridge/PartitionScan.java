// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.FileRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;

/**
 * One computation of one partition of a file scan of Spark's: all files of the partition behind one queue, so that the
 * next file is on its way while Spark's scan is in the one before.
 *
 * <p>Spark's scan asks for the files one by one, in order, by its reader function; {@link #read} then takes the next
 * step. A partition that is computed twice in a task has two of these, and they know nothing of each other.
 *
 * <p>Owned by the RDD above Spark's scan, which closes it when rows have run out or the task is over; used by the
 * thread that pulls rows.
 *
 * <p>Internals: {@link FilePartition} and {@link PartitionedFile}, in which Spark's scan says what it is going to read.
 */
final class PartitionScan implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionScan.class);

    private final TaskContext context;
    private final NodeMetrics.Task metrics;
    private final PlannedFile[] files;
    private final FilePartition partition;

    /** What decodes; null before the first file is asked for, and if it could not be made. */
    private UnitReader reader;

    /** Place of the file that was asked for last; -1 before the first. */
    private int position = -1;

    private boolean closed;

    /** A scan of {@code planned} for the task of {@code context}. Nothing is fetched before the first {@link #read}. */
    PartitionScan(FilePartition planned, TaskContext context, NodeMetrics.Task metrics) {
        this.context = context;
        this.metrics = metrics;
        this.files = new PlannedFile[planned.files().length];
        for (int i = 0; i < files.length; i++) {
            files[i] = new PlannedFile(planned.files()[i], this, i);
        }
        this.partition = new FilePartition(planned.index(), files);
    }

    /** The partition as Spark's scan is to read it: the same files, each of which knows its place here. */
    FilePartition partition() {
        return partition;
    }

    /**
     * The rows or batches of {@code file}, which is one of this scan's.
     *
     * @return what Spark's scan closes when it is done with the file
     */
    Iterator<Object> read(ReadTask task, PlannedFile file) throws IOException {
        if (closed || file.index() != position + 1) {
            // Spark's scan never goes back; whoever does gets the file all the same.
            return alone(task, file, context);
        }
        position = file.index();
        if (position == 0) {
            reader = open(task);
        }
        return reader == null ? plain(task, file) : step(file);
    }

    /** The rows or batches of a file of which no partition is known: read ahead within the file. */
    static Iterator<Object> alone(ReadTask task, PartitionedFile file, TaskContext context) throws IOException {
        UnitReader reader = new UnitReader(task, List.of(unit(file)), context);
        boolean open = false;
        try {
            reader.open(reader.next().orElseThrow(), file);
            open = true;
        } finally {
            // Whatever was thrown: Spark's readers are Scala, which throws checked exceptions without saying so.
            if (!open) {
                reader.close();
            }
        }
        return new UnitValues(reader, reader::close);
    }

    private Iterator<Object> step(PlannedFile file) throws IOException {
        TaskScan.Step step = reader.next().orElseThrow();
        reader.open(step, file);
        return new UnitValues(reader, () -> {
            if (!closed && position == file.index()) {
                reader.leave();
                metrics.report(reader.counters());
            }
        });
    }

    private UnitReader open(ReadTask task) {
        List<ScanUnit> units = new ArrayList<>(files.length);
        for (PartitionedFile file : files) {
            units.add(unit(file));
        }
        try {
            return new UnitReader(task, units, context);
        } catch (RuntimeException | LinkageError e) {
            // Nothing of the data has been looked at: what failed is ours, and Spark can do without it.
            LOG.warn("asyncscan cannot read {} files ahead; Spark's own reader reads them", files.length, e);
            return null;
        }
    }

    @SuppressWarnings("unchecked") // batches travel as rows: Spark's readers do the same
    private static Iterator<Object> plain(ReadTask task, PartitionedFile file) {
        return (Iterator<Object>) (Iterator<?>) task.reader().apply(file);
    }

    /** The part of a file that Spark has planned to read. */
    static ScanUnit unit(PartitionedFile file) {
        FileRef ref = FileRef.listed(file.toPath().toString(), file.fileSize(), file.modificationTime());
        return new FileSplit(ref, file.start(), file.start() + file.length());
    }

    /** Ends the scan: aborts what is under way, returns all memory, reports. Safe to call again. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (reader != null) {
            try {
                // Spark's scan has looked at the thread's statistics for the last time by now.
                context.taskMetrics().inputMetrics().incBytesRead(reader.finish());
            } finally {
                metrics.report(reader.counters());
            }
        }
    }
}
