// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.asyncscan.governor.ExecutorBudget;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.reader.fetch.AsyncPool;
import io.asyncscan.reader.fetch.Conditions;
import io.asyncscan.reader.fetch.FakeMemory;
import io.asyncscan.reader.fetch.FetchJob;
import io.asyncscan.reader.fetch.JobSequence;
import io.asyncscan.reader.fetch.MemorySource;
import io.asyncscan.reader.fetch.ReadAheadQueue;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.fetch.Segment;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A view of a file of random bytes, with what it needs around it. */
final class ViewFixture {
    private final MemorySource source = new MemorySource();
    private final ScanCounters counters = new ScanCounters();
    private final ExecutorBudget executor = new ExecutorBudget(1);
    private final FakeMemory memory = new FakeMemory(1 << 20);
    private final TaskBudget budget = new TaskBudget(executor, memory, Long.MAX_VALUE);
    private final List<Segment> fixed = new ArrayList<>();
    private final List<FetchJob> jobs = new ArrayList<>();
    private final List<ByteRange> planned = new ArrayList<>();
    private final byte[] bytes;
    private byte[] shown;
    private final FileRef file;
    private final ReadAheadQueue queue;
    private long length;
    private FetchJob metadata;
    private FileView view;

    ViewFixture(int size) {
        bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        shown = bytes.clone();
        file = source.add("mem://views/file", bytes);
        length = size;
        JobSequence sequence = new JobSequence() {
            @Override
            public FetchJob peek() {
                if (metadata != null && metadata.isWaiting()) {
                    return metadata;
                }
                return jobs.stream().filter(FetchJob::isWaiting).findFirst().orElse(null);
            }

            @Override
            public void dropped() {
                // peek looks at all of them anyhow
            }
        };
        AsyncPool pool = new AsyncPool(2, Duration.ofMillis(10));
        queue = new ReadAheadQueue(pool, budget, sequence, -1, false, counters, () -> false);
    }

    ViewFixture fixed(int from, int count) {
        fixed.add(Segment.of(from, Arrays.copyOfRange(bytes, from, from + count)));
        return this;
    }

    ViewFixture metadata(ByteRange... ranges) {
        metadata = newJob(ranges);
        return this;
    }

    ViewFixture job(ByteRange... ranges) {
        jobs.add(newJob(ranges));
        return this;
    }

    ViewFixture footer(int at, byte[] footer) {
        fixed.add(Segment.of(at, footer));
        shown = Arrays.copyOf(shown, Math.max(shown.length, at + footer.length));
        System.arraycopy(footer, 0, shown, at, footer.length);
        length = (long) at + footer.length;
        return this;
    }

    FileView build() {
        return build(JobRow.of(jobs));
    }

    FileView build(JobRow data) {
        view = new FileView(file, length, fixed, metadata, data, queue, source, counters);
        return view;
    }

    FetchJob lastJob() {
        return jobs.get(jobs.size() - 1);
    }

    private FetchJob newJob(ByteRange... ranges) {
        planned.addAll(List.of(ranges));
        return new FetchJob(source, file, List.of(ranges), 0, planned.size(), counters);
    }

    FetchJob job(int index) {
        return jobs.get(index);
    }

    FetchJob metadataJob() {
        return metadata;
    }

    ReadAheadQueue queue() {
        return queue;
    }

    MemorySource source() {
        return source;
    }

    long misses() {
        return counters.misses.sum();
    }

    long held() {
        return executor.inUse();
    }

    boolean isNotPlanned(ByteRange range) {
        return !planned.contains(range);
    }

    byte at(long position) {
        return shown[Math.toIntExact(position)];
    }

    /** What a reader has to see. */
    byte[] range(long position, int count) {
        int from = Math.toIntExact(position);
        return Arrays.copyOfRange(shown, from, from + count);
    }

    void close() {
        queue.close();
        view.close();
        Conditions.holds(() -> executor.inUse() == 0, "bytes stayed charged");
        budget.close();
        assertEquals(0, memory.used());
    }
}
