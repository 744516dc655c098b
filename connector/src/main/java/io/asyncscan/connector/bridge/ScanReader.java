// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.FileRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import scala.collection.immutable.Map$;

/**
 * Reads the units of one task of a scan of the connector's own. An error of a file is named after it, or the file is
 * skipped where the options say so, as in a file scan of Spark's.
 *
 * <p>Internals: {@link PartitionedFile} and {@link SparkPath}, the arguments of Spark's reader;
 * {@link InputFileBlockHolder}, behind {@code input_file_name()}.
 */
public final class ScanReader implements AutoCloseable {
    private final ReadTask task;
    private final List<ReadUnit> units;
    private final UnitReader reader;

    /** Place of {@link #unit} in the task; -1 before the first. */
    private int position = -1;

    private ReadUnit unit;
    private PartitionedFile file;
    private boolean inUnit;
    private boolean closed;

    /** A reader for the current task. Nothing is fetched before {@link #next}. */
    public ScanReader(ReadTask task, List<ReadUnit> units) {
        this.task = task;
        this.units = units;
        List<ScanUnit> scanUnits = new ArrayList<>(units.size());
        for (ReadUnit each : units) {
            scanUnits.add(each.unit());
        }
        this.reader = new UnitReader(task, scanUnits, TaskContext.get());
    }

    /** Moves to the next row or batch. */
    public boolean next() throws IOException {
        while (true) {
            if (!inUnit && !open()) {
                return false;
            }
            if (inUnit && advance()) {
                return true;
            }
            inUnit = false;
        }
    }

    /** The row or batch: what Spark's reader returned. */
    public Object get() {
        return reader.value();
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
        return reader.counters();
    }

    /** Starts the next unit. Returns false at the end. */
    private boolean open() throws IOException {
        int index = position + 1;
        try {
            Optional<TaskScan.Step> step = reader.next();
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
        FileRef ref = unit.unit().file();
        file = new PartitionedFile(
                unit.partitionValues(),
                SparkPath.fromUrlString(unit.url()),
                step.start(),
                step.length(),
                new String[0],
                ref.modificationTime(),
                ref.length(),
                Map$.MODULE$.empty());
        InputFileBlockHolder.set(file.urlEncodedPath(), file.start(), file.length());
        reader.open(step, file);
        inUnit = true;
    }

    private boolean advance() throws IOException {
        try {
            return reader.advance();
        } catch (Exception | Error e) {
            failed(e);
            return false;
        }
    }

    /** Skips the file where the options say so, else throws. */
    private void failed(Throwable e) throws IOException {
        reader.leave();
        if (unit == null) {
            ReadErrors.sneak(e);
        }
        ReadErrors.handle(e, unit.url(), task);
    }

    /** Ends the scan: aborts what is under way and returns all memory. Safe to call again. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            reader.close();
        } finally {
            InputFileBlockHolder.unset();
        }
    }
}
