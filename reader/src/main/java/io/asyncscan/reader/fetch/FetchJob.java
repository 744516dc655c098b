// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.governor.Lease;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ReadCancelledException;
import java.util.ArrayList;
import java.util.List;

/**
 * The unit that is scheduled, fetched and decoded on its own: one row group, or the metadata of a run of row groups.
 *
 * <p>Life, on the task thread: planned, {@linkplain #admit admitted} with memory reserved, claimed, and
 * {@linkplain #release released}. A job that gave its memory back before it was claimed is planned again; admitting it
 * anew starts a new {@link Fetch}. Requests of the old one that are still running keep their buffers, and those their
 * place in the executor's account, until they end: nothing writes into memory of a later fetch.
 *
 * <p>A task that ends may release a job from another thread, while the task thread admits it: after {@link #finish} has
 * been called, no fetch is left or comes.
 */
public final class FetchJob {
    /** Longest single buffer (bytes). A longer contiguous range is cut; the view joins what a reader asks across it. */
    static final int MAX_SEGMENT = 64 << 20;

    private final ByteSource source;
    private final FileRef file;
    private final List<ByteRange> ranges;
    private final List<ByteRange> buffers;
    private final long wanted;
    private final long ordinal;
    private final ScanCounters counters;
    private final BufferPool pool;
    private final long bytes;

    /** The fetch under way or complete; null before admission and after release. Written under this object's monitor. */
    private volatile Fetch fetch;

    /** Set once nobody will read the job any more; it is not admitted again. Written under this object's monitor. */
    private volatile boolean finished;

    /**
     * A planned job.
     *
     * @param ranges what to request, each at most an array long, in ascending order without overlap; neighbours that
     *     touch share a buffer
     * @param wanted bytes of the ranges that somebody asked for; the rest is over-read
     * @param ordinal place in the task's plan: the pool serves small distances to the claimed one first
     */
    public FetchJob(
            ByteSource source, FileRef file, List<ByteRange> ranges, long wanted, long ordinal, ScanCounters counters) {
        this(source, file, ranges, wanted, ordinal, counters, null);
    }

    private FetchJob(
            ByteSource source,
            FileRef file,
            List<ByteRange> ranges,
            long wanted,
            long ordinal,
            ScanCounters counters,
            BufferPool pool) {
        this.source = source;
        this.file = file;
        this.ranges = List.copyOf(ranges);
        this.buffers = layOut(this.ranges);
        this.pool = pool;
        this.wanted = wanted;
        this.ordinal = ordinal;
        this.counters = counters;
        long sum = 0;
        for (ByteRange buffer : this.buffers) {
            sum += pool == null ? buffer.length() : BufferPool.capacity(Math.toIntExact(buffer.length()));
        }
        this.bytes = sum;
    }

    /**
     * This job with arrays of {@code pool}, which get them back when it is released. For a job whose bytes nobody refers to
     * any more then: whoever decodes them copies or unpacks them.
     */
    public FetchJob reusing(BufferPool arrays) {
        return new FetchJob(source, file, ranges, wanted, ordinal, counters, arrays);
    }

    BufferPool pool() {
        return pool;
    }

    /** Buffers for {@code ranges}: touching ranges share one, up to {@link #MAX_SEGMENT}. */
    private static List<ByteRange> layOut(List<ByteRange> ranges) {
        List<ByteRange> result = new ArrayList<>(ranges.size());
        ByteRange last = null;
        for (ByteRange range : ranges) {
            if (last != null && range.offset() == last.end() && range.end() - last.offset() <= MAX_SEGMENT) {
                last = ByteRange.between(last.offset(), range.end());
                result.set(result.size() - 1, last);
            } else {
                last = range;
                result.add(range);
            }
        }
        return List.copyOf(result);
    }

    ByteSource source() {
        return source;
    }

    ScanCounters counters() {
        return counters;
    }

    /** The file the job reads. */
    public FileRef file() {
        return file;
    }

    /** Tells stores apart: scheme and authority of the file's path. */
    String store() {
        String path = file.path();
        int authority = path.indexOf("://");
        int end = authority < 0 ? path.indexOf(':') : path.indexOf('/', authority + 3);
        return end < 0 ? "" : path.substring(0, end);
    }

    /** The requests of the job. */
    List<ByteRange> ranges() {
        return ranges;
    }

    /** The buffers the requests fill, in ascending order; the segments of a fetch lie as they do. */
    public List<ByteRange> buffers() {
        return buffers;
    }

    /** Place in the task's plan. */
    public long ordinal() {
        return ordinal;
    }

    /** Bytes of the requests. */
    long requested() {
        long sum = 0;
        for (ByteRange range : ranges) {
            sum += range.length();
        }
        return sum;
    }

    /** Bytes the job holds from admission to release. */
    public long bytes() {
        return bytes;
    }

    /** Starts a fetch that owns {@code lease}; the caller hands its tasks to the pool. */
    synchronized Fetch admit(Lease lease) throws ReadCancelledException {
        if (finished) {
            lease.close();
            throw new ReadCancelledException("nobody reads " + this + " any more");
        }
        if (fetch != null) {
            throw new IllegalStateException("admitted twice: " + this);
        }
        counters.bytesOverRead.add(requested() - wanted);
        fetch = new Fetch(this, lease);
        return fetch;
    }

    /** The fetch of this job, or null when it is not admitted. */
    public Fetch fetch() {
        return fetch;
    }

    /**
     * Ends the fetch if there is one: requests that have not started never will, running ones are aborted.
     *
     * @return true if all of the job's memory is free now
     */
    public boolean release() {
        Fetch ended = detach();
        return ended == null || ended.release();
    }

    /** Takes the fetch out of the job without ending it; null if there is none. */
    synchronized Fetch detach() {
        Fetch ended = fetch;
        fetch = null;
        return ended;
    }

    /** Releases the job for good: nobody will read it any more. */
    public void finish() {
        synchronized (this) {
            finished = true;
        }
        release();
    }

    /** Whether the job still has to be admitted: it has no fetch, and somebody may read it. */
    public boolean isWaiting() {
        return fetch == null && !finished;
    }

    @Override
    public String toString() {
        return "job " + ordinal + " of " + file.path() + " " + ranges;
    }
}
