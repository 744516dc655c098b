// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.scan;

import io.asyncscan.governor.TaskBudget;
import io.asyncscan.reader.fetch.AsyncPool;
import io.asyncscan.reader.fetch.BufferPool;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What a task's scan works with. */
public interface ScanServices {
    /** The executor's I/O threads. */
    AsyncPool pool();

    /** The task's read-ahead memory. */
    TaskBudget budget();

    /** Arrays for jobs whose bytes are copied or unpacked when they are decoded. */
    BufferPool buffers();

    /** What the task's scan counts. */
    ScanCounters counters();

    /** The option {@code readAheadDepth}. */
    int readAheadDepth();

    /** Whether a request that the task waits for may be sent a second time. */
    boolean hedge();

    /** Whether the task was asked to stop. */
    BooleanSupplier killed();

    /** Where the bytes of {@code file} come from. */
    ByteSource source(FileRef file) throws IOException;

    /** Turns wanted ranges of {@code file} into requests. */
    List<ByteRange> requests(FileRef file, List<ByteRange> wanted) throws IOException;

    /** As {@link #requests(FileRef, List)}, none longer than {@code longest} bytes. */
    List<ByteRange> requests(FileRef file, List<ByteRange> wanted, int longest) throws IOException;

    /** Bytes of {@code file} that could be fetched in the time a request takes. */
    long requestCost(FileRef file) throws IOException;
}
