// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.ExecutorBudget;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ReadCancelledException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A file, a source that has it, and budgets: what jobs are made of in tests. */
final class Work {
    final MemorySource source = new MemorySource();
    final ScanCounters counters = new ScanCounters();
    final ExecutorBudget executor = new ExecutorBudget(1);
    final FakeMemory memory = new FakeMemory(1 << 20);
    final TaskBudget budget = new TaskBudget(executor, memory, Long.MAX_VALUE);
    final byte[] bytes = new byte[1 << 16];
    final FileRef file;

    Work() {
        new Random(7).nextBytes(bytes);
        file = source.add("mem://files/one", bytes);
    }

    /** A job that wants {@code count} ranges of {@code length} bytes, 10 bytes apart, from {@code offset} on. */
    FetchJob job(long ordinal, int offset, int count, int length) {
        List<ByteRange> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ranges.add(new ByteRange(offset + (long) i * (length + 10), length));
        }
        return new FetchJob(source, file, ranges, (long) count * length, ordinal, counters);
    }

    /** The job that reads {@code [100 * n, 100 * n + 100)}. */
    FetchJob job(int n) {
        return job(n, 100 * n, 1, 100);
    }

    Fetch admit(FetchJob job) {
        try {
            return job.admit(budget.reserveHead(job.bytes()));
        } catch (ReadCancelledException e) {
            throw new UncheckedIOException(e);
        }
    }
}
