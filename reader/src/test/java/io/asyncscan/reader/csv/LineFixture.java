// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.asyncscan.governor.ExecutorBudget;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.reader.fetch.AsyncPool;
import io.asyncscan.reader.fetch.BufferPool;
import io.asyncscan.reader.fetch.Conditions;
import io.asyncscan.reader.fetch.FakeMemory;
import io.asyncscan.reader.fetch.MemorySource;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.RangePlanner;
import io.asyncscan.reader.storage.RangePolicy;
import io.asyncscan.reader.view.ViewFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/** A task's scan over files in memory, read with Hadoop's own reader of lines, as Spark's does in a real task. */
final class LineFixture implements ScanServices {
    final MemorySource source = new MemorySource();
    final ScanCounters counters = new ScanCounters();
    final ExecutorBudget executor = new ExecutorBudget(1);
    final FakeMemory memory = new FakeMemory(64 << 20);
    private final TaskBudget budget = new TaskBudget(executor, memory, Long.MAX_VALUE);
    private final BufferPool buffers = new BufferPool(1 << 20);
    private final AsyncPool pool = new AsyncPool(2, Duration.ofMillis(50));
    private final Map<String, byte[]> files = new HashMap<>();
    private final Configuration conf = new Configuration(false);
    int depth = -1;
    boolean readsHead;
    byte[] separator;
    RangePolicy policy = new RangePolicy(8 << 20, 0, 0);

    LineFixture() {
        ViewFileSystem.install(conf, List.of("mem"));
        conf.setInt("io.file.buffer.size", 65_536);
    }

    /** How much the reader asks for at once (bytes). */
    void buffer(int bytes) {
        conf.setInt("io.file.buffer.size", bytes);
    }

    FileRef add(String name, byte[] bytes) {
        String path = "mem://lines/" + name;
        files.put(path, bytes);
        return source.add(path, bytes);
    }

    FileRef add(String name, String text) {
        return add(name, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Splits of at most {@code size} bytes. */
    static List<ScanUnit> cut(FileRef file, long size) {
        List<ScanUnit> splits = new ArrayList<>();
        for (long at = 0; at < file.length(); at += size) {
            splits.add(new FileSplit(file, at, Math.min(file.length(), at + size)));
        }
        return splits;
    }

    LinesTaskScan open(List<ScanUnit> units) {
        return new LinesTaskScan(units, this, new SplitTails(conf), readsHead);
    }

    /** All lines of all units, by one task. */
    List<String> read(List<ScanUnit> units) throws IOException {
        List<String> lines = new ArrayList<>();
        try (LinesTaskScan scan = open(units)) {
            Optional<TaskScan.Step> step = scan.next();
            while (step.isPresent()) {
                FileRef file = units.get(step.get().index()).file();
                try (LineRecordReader reader = reader(file, step.get())) {
                    while (reader.nextKeyValue()) {
                        lines.add(reader.getCurrentValue().toString());
                        scan.topUp();
                    }
                }
                step = scan.next();
            }
        }
        return lines;
    }

    LineRecordReader reader(FileRef file, TaskScan.Step step) throws IOException {
        LineRecordReader reader = separator == null ? new LineRecordReader() : new LineRecordReader(separator);
        ViewFileSystem.bind(step.view().orElseThrow());
        try {
            reader.initialize(
                    new org.apache.hadoop.mapreduce.lib.input.FileSplit(
                            new Path(file.path()),
                            step.told().start(),
                            step.told().length(),
                            new String[0]),
                    new TaskAttemptContextImpl(conf, new TaskAttemptID()));
        } finally {
            ViewFileSystem.unbind();
        }
        return reader;
    }

    /** Everything is given back. */
    void end() {
        Conditions.holds(() -> executor.inUse() == 0, "bytes stayed charged");
        budget.close();
        assertEquals(0, memory.used());
    }

    @Override
    public AsyncPool pool() {
        return pool;
    }

    @Override
    public BufferPool buffers() {
        return buffers;
    }

    @Override
    public TaskBudget budget() {
        return budget;
    }

    @Override
    public ScanCounters counters() {
        return counters;
    }

    @Override
    public int readAheadDepth() {
        return depth;
    }

    @Override
    public boolean hedge() {
        // Requests are counted.
        return false;
    }

    @Override
    public BooleanSupplier killed() {
        return () -> false;
    }

    @Override
    public ByteSource source(FileRef file) throws IOException {
        if (file.path().contains("no-such-store")) {
            throw new IOException("no file system for " + file.path());
        }
        return source;
    }

    @Override
    public List<ByteRange> requests(FileRef file, List<ByteRange> wanted) {
        return RangePlanner.plan(wanted, policy);
    }

    @Override
    public List<ByteRange> requests(FileRef file, List<ByteRange> wanted, int longest) {
        return RangePlanner.plan(wanted, policy.withParts(longest));
    }

    @Override
    public long requestCost(FileRef file) {
        return 0;
    }
}
