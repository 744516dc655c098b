// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import io.asyncscan.reader.fetch.Fetch;
import io.asyncscan.reader.fetch.FetchJob;
import io.asyncscan.reader.fetch.ReadAheadQueue;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.fetch.Segment;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ThreadBytesRead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;

/**
 * What a reader sees of one file while it decodes a run of jobs: the fetched bytes at their original offsets.
 *
 * <p>Bytes come from three places, asked in this order: <i>fixed</i> segments that are in memory (the trimmed footer,
 * page indexes); the <i>metadata job</i> (dictionary pages and bloom filters that filters read before any data); the
 * <i>data jobs</i>. The first touch of a job's bytes claims it, which waits until they are there and gives up the jobs
 * before it: a reader that went past a row group has no use for it any more. Whatever none of them has is a
 * <i>miss</i>: read from the store on the spot, counted, and right all the same.
 *
 * <p>Used by the task thread; {@link #close} releases all jobs, from any thread, and may be called again.
 */
public final class FileView implements AutoCloseable {
    private final FileRef file;
    private final long length;
    private final List<Segment> fixed;
    private final FetchJob metadata;
    private final JobRow data;
    private final ReadAheadQueue queue;
    private final ByteSource source;
    private final ScanCounters counters;

    /** Buffers of the data jobs by offset, with the job each belongs to. Task thread only. */
    private final List<Slot> slots = new ArrayList<>();

    /** How many of the data jobs have their {@link #slots}. Task thread only. */
    private int slotted;

    /** Index of the data job that is being decoded; the jobs before it are released. -1 before the first. */
    private int current = -1;

    /** The bytes of the last miss: a reader that asks for one byte asks for the next one, too. */
    private Segment lastMiss;

    /** The fetch that was claimed last: a claim is made once per fetch, not per read. */
    private Fetch lastClaimed;

    private volatile boolean closed;

    private record Slot(ByteRange range, int job, int buffer) {}

    /**
     * A view of {@code file}.
     *
     * @param length length the reader is told (bytes): up to the end of the trimmed footer
     * @param fixed bytes in memory, in ascending order
     * @param metadata the job of dictionary pages and bloom filters, or null
     * @param data what is fetched by jobs
     * @param source where misses are read
     */
    public FileView(
            FileRef file,
            long length,
            List<Segment> fixed,
            FetchJob metadata,
            JobRow data,
            ReadAheadQueue queue,
            ByteSource source,
            ScanCounters counters) {
        this.file = file;
        this.length = length;
        this.fixed = List.copyOf(fixed);
        this.metadata = metadata;
        this.data = data;
        this.queue = queue;
        this.source = source;
        this.counters = counters;
        slot();
        // Jobs that are cut later lie behind all others.
        slots.sort(Comparator.comparingLong(slot -> slot.range().offset()));
    }

    /** Takes in the data jobs that were cut meanwhile. */
    private void slot() {
        for (; slotted < data.size(); slotted++) {
            List<ByteRange> buffers = data.get(slotted).buffers();
            for (int buffer = 0; buffer < buffers.size(); buffer++) {
                slots.add(new Slot(buffers.get(buffer), slotted, buffer));
            }
        }
    }

    /**
     * A stream over the view. Closing it leaves the view open.
     *
     * <p>If nothing of the file was looked at before, waits for its first bytes. A file that is gone is an error when it is
     * opened, as with any file system: a parser that met it at a read would take it for a damaged record.
     */
    public FSDataInputStream open() throws IOException {
        if (fixed.isEmpty() && current < 0 && !closed && (data.size() > 0 || data.grow())) {
            advanceTo(0);
            claimed(data.get(0));
        }
        return new FSDataInputStream(new ViewInputStream(this));
    }

    /** The file's path. */
    public String path() {
        return file.path();
    }

    /** Length the reader is told (bytes). */
    public long length() {
        return length;
    }

    /** When the file was last modified (ms since the epoch), as listed. */
    public long modificationTime() {
        return file.modificationTime();
    }

    /**
     * The bytes {@code [position, position + count)} without copying, if one buffer has them all; null if not.
     *
     * @return a buffer of which exactly {@code count} bytes remain, that shares the view's memory and stays readable until the
     *     reader asks for bytes of a later job. It begins with its array: Spark's decoder of DELTA_BYTE_ARRAY takes a
     *     buffer's position for the place in the array, and knows of no {@code arrayOffset}
     */
    ByteBuffer slice(long position, int count) throws IOException {
        Segment segment = locate(position, count);
        if (segment == null) {
            return null;
        }
        int at = Math.toIntExact(position - segment.offset());
        return ByteBuffer.wrap(segment.bytes(), at, count);
    }

    /**
     * Copies up to {@code count} bytes from {@code position} on.
     *
     * @return how many were copied, at least 1, or -1 at the end of the file
     */
    int read(long position, byte[] target, int at, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (position >= length) {
            return -1;
        }
        int wanted = (int) Math.min(count, length - position);
        Segment segment = locate(position, 1);
        if (segment == null) {
            segment = miss(position, wanted);
        }
        int available = (int) Math.min(wanted, segment.end() - position);
        System.arraycopy(segment.bytes(), Math.toIntExact(position - segment.offset()), target, at, available);
        return available;
    }

    /** The segment that has all of {@code [position, position + count)}, its job claimed; null if there is none. */
    private Segment locate(long position, int count) throws IOException {
        if (closed) {
            throw new IOException("the view of " + file.path() + " is closed: the task that read it has ended");
        }
        Segment known = fixedAt(position);
        if (known != null && contains(known.offset(), known.end(), position, count)) {
            return known;
        }
        if (metadata != null && current < 0) {
            List<ByteRange> buffers = metadata.buffers();
            for (int i = 0; i < buffers.size(); i++) {
                if (contains(buffers.get(i).offset(), buffers.get(i).end(), position, count)) {
                    return claimed(metadata).segments().get(i);
                }
            }
        }
        Slot slot = slotAt(position);
        if (slot == null || slot.job() < current || slot.range().end() < position + count) {
            return null;
        }
        advanceTo(slot.job());
        return claimed(data.get(slot.job())).segments().get(slot.buffer());
    }

    /** The last fixed segment that starts at or before {@code position}; null if there is none. */
    private Segment fixedAt(long position) {
        int low = 0;
        int high = fixed.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (fixed.get(middle).offset() <= position) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < 0 ? null : fixed.get(high);
    }

    private static boolean contains(long from, long to, long position, int count) {
        return position >= from && position + count <= to;
    }

    /** The last slot that starts at or before {@code position}, if it reaches it. Has jobs cut up to there. */
    private Slot slotAt(long position) throws IOException {
        do {
            slot();
        } while ((slots.isEmpty() || slots.get(slots.size() - 1).range().end() <= position) && data.grow());
        int low = 0;
        int high = slots.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (slots.get(middle).range().offset() <= position) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high >= 0 && slots.get(high).range().end() > position ? slots.get(high) : null;
    }

    private void advanceTo(int job) {
        if (job == current) {
            return;
        }
        if (metadata != null && current < 0) {
            queue.done(metadata);
        }
        for (int i = Math.max(0, current); i < job; i++) {
            if (i == current) {
                queue.done(data.get(i));
            } else {
                queue.abandon(data.get(i));
            }
        }
        current = job;
    }

    /** The complete fetch of {@code job}. */
    private Fetch claimed(FetchJob job) throws IOException {
        Fetch fetch = job.fetch();
        if (fetch == null || fetch != lastClaimed) {
            queue.claim(job);
            lastClaimed = job.fetch();
        }
        return lastClaimed;
    }

    private Segment miss(long position, int count) throws IOException {
        if (lastMiss != null && contains(lastMiss.offset(), lastMiss.end(), position, 1)) {
            return lastMiss;
        }
        counters.misses.increment();
        byte[] bytes = new byte[Math.toIntExact(Math.min(position + count, nextKnown(position)) - position)];
        long before = ThreadBytesRead.now();
        source.read(file, position, bytes, 0, bytes.length, new TaskReadScope(counters, queue::isStopped));
        counters.bytesCountedByHadoop.add(ThreadBytesRead.now() - before);
        lastMiss = Segment.of(position, bytes);
        return lastMiss;
    }

    /**
     * Where the next bytes behind {@code position} lie that the view has. A miss ends there: the trimmed footer stands in
     * place of the file's own, and what a job has need not be fetched twice.
     */
    private long nextKnown(long position) {
        long next = Long.MAX_VALUE;
        for (Segment segment : fixed) {
            next = segment.offset() > position ? Math.min(next, segment.offset()) : next;
        }
        if (metadata != null && current < 0) {
            for (ByteRange buffer : metadata.buffers()) {
                next = buffer.offset() > position ? Math.min(next, buffer.offset()) : next;
            }
        }
        for (Slot slot : slots) {
            if (slot.range().offset() > position && slot.job() >= current) {
                return Math.min(next, slot.range().offset());
            }
        }
        return next;
    }

    @Override
    public void close() {
        closed = true;
        lastMiss = null;
        lastClaimed = null;
        if (metadata != null) {
            queue.done(metadata);
        }
        for (int i = Math.max(0, current); i < data.size(); i++) {
            if (i == current) {
                queue.done(data.get(i));
            } else {
                queue.abandon(data.get(i));
            }
        }
    }
}
