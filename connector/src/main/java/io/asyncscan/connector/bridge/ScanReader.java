// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ThreadBytesRead;
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
    private boolean closed;

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
                credit();
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
        } catch (IOException | RuntimeException | Error e) {
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
        if (step.view().isEmpty()) {
            iterator = timed(() -> task.reader().apply(file));
            return;
        }
        ViewFileSystem.bind(step.view().get());
        try {
            PartitionedFile told =
                    partitionedFile(step.told().start(), step.told().length());
            iterator = timed(() -> task.reader().apply(told));
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
            boolean more = timed(() -> {
                boolean has = iterator.hasNext();
                value = has ? iterator.next() : null;
                return has;
            });
            if (more) {
                scan.topUp();
            }
            return more;
        } catch (IOException | RuntimeException | Error e) {
            failed(e);
            return false;
        }
    }

    private interface Step<T> {
        T run() throws IOException;
    }

    /** Runs a step of the reader; what of its time was not spent waiting for bytes is decoding. */
    private <T> T timed(Step<T> step) throws IOException {
        ScanCounters counters = services.counters();
        long stalled = counters.stallNanos.sum();
        long start = System.nanoTime();
        try {
            return step.run();
        } finally {
            long waited = counters.stallNanos.sum() - stalled;
            counters.decodeNanos.add(Math.max(0, System.nanoTime() - start - waited));
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
