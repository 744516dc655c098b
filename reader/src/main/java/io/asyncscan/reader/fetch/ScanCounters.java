// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.reader.storage.ReadScope;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** What one task's scan did. Written by the task thread and the pool, read at any time. */
public final class ScanCounters {
    /** Requests sent to the store. */
    public final LongAdder requests = new LongAdder();

    /** Bytes received from the store, repeated ones included. */
    public final LongAdder bytesFetched = new LongAdder();

    /** Bytes the task thread itself received through a Hadoop file system, whose statistics have them already. */
    public final LongAdder bytesCountedByHadoop = new LongAdder();

    /** Bytes of gaps between wanted ranges that were fetched with them. */
    public final LongAdder bytesOverRead = new LongAdder();

    /** Bytes of jobs that were fetched, or on their way, and never decoded. */
    public final LongAdder bytesNeverDecoded = new LongAdder();

    /** Time the task thread waited for bytes (ns), its own fetching included. */
    public final LongAdder stallNanos = new LongAdder();

    /** Time the task thread spent in the reader without waiting for bytes (ns). */
    public final LongAdder decodeNanos = new LongAdder();

    /** Most bytes that were held at once. */
    public final LongAccumulator peakBytes = new LongAccumulator(Math::max, 0);

    /** Most jobs that were ahead of the one being decoded. */
    public final LongAccumulator depthReached = new LongAccumulator(Math::max, 0);

    /** Bytes that were granted for jobs read ahead, whether or not they were given back later. */
    public final LongAdder bytesGranted = new LongAdder();

    /** Times read-ahead stopped because its budget or free memory did not allow another job. */
    public final LongAdder denials = new LongAdder();

    /** Jobs that were given back because somebody else needed the memory. */
    public final LongAdder jobsDropped = new LongAdder();

    /** Attempts that followed a failed one. */
    public final LongAdder retries = new LongAdder();

    /** Attempts the store answered with "slow down". */
    public final LongAdder throttles = new LongAdder();

    /** Second requests that brought their bytes before the first ones. */
    public final LongAdder hedgesWon = new LongAdder();

    /** Reads of bytes that no job had planned. */
    public final LongAdder misses = new LongAdder();

    /** Row groups that filters ruled out before their data was decoded. */
    public final LongAdder rowGroupsPruned = new LongAdder();

    /** An attempt failed, and another follows. */
    public void retried(ReadScope.IOFault fault) {
        retries.increment();
        if (fault == ReadScope.IOFault.THROTTLED) {
            throttles.increment();
        }
    }
}
