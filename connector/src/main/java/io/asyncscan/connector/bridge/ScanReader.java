// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ThreadBytesRead;
import io.asyncscan.reader.view.FileView;
import io.asyncscan.reader.view.ViewFileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.Iterator;
import scala.collection.immutable.Map$;

/**
 * Reads the units of one task: calls Spark's reader for each, over a view whose bytes the queue fetches ahead.
 *
 * <p>Internals: {@link PartitionedFile} and {@link SparkPath}, the arguments of Spark's reader;
 * {@link InputFileBlockHolder}, behind {@code input_file_name()}.
 */
public final class ScanReader implements AutoCloseable {
    private final ReadTask task;
    private final List<ReadUnit> units;
    private final ErrorPolicy errors;
    private final TaskServices services;
    private final TaskScan scan;

    /** Bytes that Spark's task metrics know of. */
    private long credited;

    /** Place of {@link #unit} in the task; -1 before the first. */
    private int position = -1;

    private ReadUnit unit;
    private PartitionedFile file;
    private Iterator<?> iterator;
    private Object value;

    /** What the reader decodes through; null if it was shown the file itself. */
    private FileView view;

    /** Whether the unit's first row or batch was asked for. */
    private boolean opened;

    /** Rows that may be returned before the queue and the accounts are looked after again. */
    private int unattended;

    private boolean closed;

    /**
     * How many rows pass between two looks at the queue, the clock and the accounts. These take some 150 ns together, as
     * much as it takes to decode a short row, and 64 rows pass within 0.1 ms. One row in so many is timed and stands for
     * the others.
     */
    private static final int ROWS = 64;

    /** How errors of a file are dealt with. */
    public enum ErrorPolicy {
        /** As a file scan of Spark's does: named after the file, or skipped where the options say so. */
        AS_SPARK,
        /** Thrown as they come: the caller is a file scan of Spark's. */
        RAW
    }

    /** A reader for the current task. Nothing is fetched before {@link #next}. */
    public ScanReader(ReadTask task, List<ReadUnit> units, ErrorPolicy errors) {
        this.task = task;
        this.units = units;
        this.errors = errors;
        this.services = new TaskServices(task, TaskContext.get());
        List<ScanUnit> scanUnits = new ArrayList<>(units.size());
        for (ReadUnit each : units) {
            scanUnits.add(each.unit());
        }
        this.scan = task.open(scanUnits, services);
        services.onPressure(scan::giveBack);
    }

    /** Moves to the next row or batch. */
    public boolean next() throws IOException {
        while (true) {
            if (iterator == null && !open()) {
                credit();
                return false;
            }
            if (iterator != null && advance()) {
                return true;
            }
            closeIterator();
        }
    }

    /** The row or batch: what Spark's reader returned. */
    public Object get() {
        return value;
    }

    /** The file that {@link #get} comes from. */
    public FileRef file() {
        return unit.unit().file();
    }

    /** First byte of the part of the file that is being read. */
    public long blockStart() {
        return file.start();
    }

    /** Bytes of that part. */
    public long blockLength() {
        return file.length();
    }

    /** What was counted so far. */
    public ScanCounters counters() {
        return services.counters();
    }

    /** Starts the next unit. Returns false at the end. */
    private boolean open() throws IOException {
        int index = position + 1;
        try {
            Optional<TaskScan.Step> step = scan.next();
            if (step.isEmpty()) {
                InputFileBlockHolder.unset();
                return false;
            }
            begin(step.get());
        } catch (Exception | Error e) {
            // Any exception: Spark's readers are Scala, which throws checked ones without saying so.
            if (index < units.size()) {
                position = index;
                unit = units.get(index);
            }
            failed(e);
        }
        return true;
    }

    private void begin(TaskScan.Step step) throws IOException {
        position = step.index();
        unit = units.get(position);
        file = partitionedFile(step.start(), step.length());
        InputFileBlockHolder.set(file.urlEncodedPath(), file.start(), file.length());
        opened = false;
        unattended = 0;
        view = step.view().orElse(null);
        if (view == null) {
            iterator = timed(() -> task.reader().apply(file), 1);
            return;
        }
        ViewFileSystem.bind(view);
        try {
            PartitionedFile told =
                    partitionedFile(step.told().start(), step.told().length());
            iterator = timed(() -> task.reader().apply(told), 1);
        } finally {
            ViewFileSystem.unbind();
        }
    }

    private PartitionedFile partitionedFile(long start, long length) {
        FileRef ref = unit.unit().file();
        return new PartitionedFile(
                unit.partitionValues(),
                SparkPath.fromUrlString(unit.url()),
                start,
                length,
                new String[0],
                ref.modificationTime(),
                ref.length(),
                Map$.MODULE$.empty());
    }

    private boolean advance() throws IOException {
        try {
            if (unattended > 0) {
                unattended--;
                return step();
            }
            boolean more = opened ? timed(this::step, value instanceof ColumnarBatch ? 1 : ROWS) : first();
            if (more) {
                scan.topUp();
                credit();
                unattended = value instanceof ColumnarBatch ? 0 : ROWS - 1;
            }
            return more;
        } catch (Exception | Error e) {
            failed(e);
            return false;
        }
    }

    private boolean step() {
        boolean more = iterator.hasNext();
        value = more ? iterator.next() : null;
        return more;
    }

    /** The first step of a unit: readers of whole files open theirs here. */
    private boolean first() throws IOException {
        opened = true;
        if (view == null) {
            return timed(this::step, 1);
        }
        ViewFileSystem.bind(view);
        try {
            return timed(this::step, 1);
        } finally {
            ViewFileSystem.unbind();
        }
    }

    private interface Step<T> {
        T run() throws IOException;
    }

    /**
     * Runs a step of the reader; what of its time was not spent waiting for bytes is decoding.
     *
     * @param weight how many steps it stands for
     */
    private <T> T timed(Step<T> step, int weight) throws IOException {
        ScanCounters counters = services.counters();
        long stalled = counters.stallNanos.sum();
        long start = System.nanoTime();
        try {
            return step.run();
        } finally {
            long waited = counters.stallNanos.sum() - stalled;
            counters.decodeNanos.add(weight * Math.max(0, System.nanoTime() - start - waited));
        }
    }

    /** Skips the file where the options say so, else throws. */
    private void failed(Throwable e) throws IOException {
        closeIterator();
        if (errors == ErrorPolicy.RAW || unit == null) {
            ReadErrors.sneak(e);
        }
        ReadErrors.handle(e, unit.url(), task);
    }

    private void closeIterator() throws IOException {
        Iterator<?> open = iterator;
        iterator = null;
        value = null;
        view = null;
        if (open instanceof Closeable closeable) {
            closeable.close();
        }
        scan.leave();
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

    /** Ends the scan: aborts what is under way and returns all memory. Safe to call again. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            closeIterator();
        } finally {
            try {
                scan.close();
            } finally {
                services.close();
                credit();
                InputFileBlockHolder.unset();
            }
        }
    }
}
