// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

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
import io.asyncscan.reader.view.FileView;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.parquet.hadoop.util.HadoopStreams;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;

/** A task's scan over files in memory, read with parquet-java's own reader as Spark's is in a real task. */
final class ScanFixture implements ScanServices {
    final MemorySource source = new MemorySource();
    final ScanCounters counters = new ScanCounters();
    final ExecutorBudget executor = new ExecutorBudget(1);
    final FakeMemory memory = new FakeMemory(64 << 20);
    private final TaskBudget budget = new TaskBudget(executor, memory, Long.MAX_VALUE);
    private final BufferPool buffers = new BufferPool(1 << 20);
    private final AsyncPool pool = new AsyncPool(2, Duration.ofMillis(50));
    private final Map<String, byte[]> files = new HashMap<>();
    private final ParquetNeeds needs;
    private final MessageType projection;
    int depth = -1;
    long requestCost;
    RangePolicy policy = new RangePolicy(8 << 20, 0, 0);

    ScanFixture(ParquetNeeds needs, MessageType projection) {
        this.needs = needs;
        this.projection = projection;
    }

    FileRef add(String name, byte[] bytes) {
        String path = "mem://scans/" + name;
        files.put(path, bytes);
        return source.add(path, bytes);
    }

    static ScanUnit whole(FileRef file) {
        return new FileSplit(file, 0, file.length());
    }

    /** A run that was planned in advance. */
    ScanUnit planned(FileRef file, FilePlan plan, int from, int to) throws IOException {
        return new PlannedRun(plan.run(from, to, wanted -> requests(file, wanted)));
    }

    FilePlan plan(FileRef file) throws IOException {
        byte[] bytes = files.get(file.path());
        ParquetFooter.Parsed parsed = ParquetFooter.parse(new io.asyncscan.reader.storage.FileTail(file, bytes));
        ParquetFooter footer = ((ParquetFooter.Parsed.Complete) parsed).footer();
        return new ParquetPlanner(needs, requestCost)
                .plan(
                        footer,
                        0,
                        Long.MAX_VALUE,
                        range -> java.util.Arrays.copyOfRange(
                                bytes, Math.toIntExact(range.offset()), Math.toIntExact(range.end())));
    }

    /** All rows of all units. */
    List<String> read(List<ScanUnit> units) throws IOException {
        List<String> rows = new ArrayList<>();
        try (ParquetTaskScan scan = new ParquetTaskScan(units, this, needs())) {
            Optional<TaskScan.Step> step = scan.next();
            while (step.isPresent()) {
                rows.addAll(read(scan, step.get(), units));
                step = scan.next();
            }
        }
        end();
        return rows;
    }

    List<String> read(ParquetTaskScan scan, TaskScan.Step step, List<ScanUnit> units) throws IOException {
        if (step.view().isEmpty()) {
            return plain(units.get(step.index()).file(), step.start(), step.start() + step.length());
        }
        FileView view = step.view().get();
        return Samples.read(new ViewInput(view), 0, view.length(), needs, projection, scan::topUp);
    }

    /** The rows of a part of a file, without any of this. */
    List<String> plain(FileRef file, long from, long to) throws IOException {
        return Samples.read(new BytesFile(files.get(file.path())), from, to, needs, projection);
    }

    /** Everything is given back. */
    void end() {
        Conditions.holds(() -> executor.inUse() == 0, "bytes stayed charged");
        budget.close();
        assertEquals(0, memory.used());
    }

    private record ViewInput(FileView view) implements InputFile {
        @Override
        public long getLength() {
            return view.length();
        }

        @Override
        public SeekableInputStream newStream() throws IOException {
            return HadoopStreams.wrap(view.open());
        }
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

    ParquetNeeds needs() {
        return needs;
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
        return requestCost;
    }
}
