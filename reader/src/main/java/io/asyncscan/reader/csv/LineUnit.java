// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import io.asyncscan.reader.fetch.FetchJob;
import io.asyncscan.reader.fetch.ReadAheadQueue;
import io.asyncscan.reader.fetch.Segment;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.OneVersionSource;
import io.asyncscan.reader.view.FileView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * One split in a task: its jobs, one request each, and its view. Owns both. Task thread only, except {@link #close}.
 *
 * <p>The jobs of the split itself and of its tail are handed out to be fetched ahead; those behind it are claimed by
 * the view when the reader gets there, and that is when they are fetched.
 */
final class LineUnit {
    private final LinePlan plan;
    private final ReadAheadQueue queue;
    private final ScanServices services;
    private final ByteSource source;

    /** The beginning of the file; null if nobody looks at it. */
    private final FetchJob head;

    private final List<FetchJob> ahead = new ArrayList<>();
    private final List<FetchJob> all = new ArrayList<>();

    /** Null until the reader gets to the split. */
    private FileView view;

    /** The jobs of {@link #ahead} before this one are not waiting and will not be again. */
    private int first;

    /**
     * The jobs of {@code plan}. Nothing is fetched yet.
     *
     * @param ramp how long the requests of the task are
     * @param last whether it is the task's last split
     * @param ordinals places in the task's plan
     */
    LineUnit(LinePlan plan, ScanServices services, ReadAheadQueue queue, Ramp ramp, boolean last, LongSupplier ordinals)
            throws IOException {
        this.plan = plan;
        this.queue = queue;
        this.services = services;
        FileRef file = plan.file();
        this.source = new OneVersionSource(services.source(file));
        this.head = plan.head()
                .map(range -> new FetchJob(
                        source, file, List.of(range), range.length(), ordinals.getAsLong(), services.counters()))
                .orElse(null);
        for (ByteRange request : ramp.apply(services.requests(file, List.of(plan.own()), Ramp.LONGEST), last)) {
            ahead.add(job(List.of(request), plan.wanted(request), ordinals.getAsLong()));
        }
        all.addAll(ahead);
        // The place in the plan of what may follow is that of the last byte that is sure to be wanted.
        long end = ahead.isEmpty() ? 0 : ahead.get(ahead.size() - 1).ordinal();
        for (ByteRange step : plan.rest()) {
            all.add(job(services.requests(file, List.of(step)), 0, end));
        }
    }

    private FetchJob job(List<ByteRange> requests, long wanted, long ordinal) {
        // Readers of lines copy what they read.
        return new FetchJob(source, plan.file(), requests, wanted, ordinal, services.counters())
                .reusing(services.buffers());
    }

    /** The first job to be fetched ahead that is waiting; null if there is none. */
    FetchJob peek() {
        if (head != null && head.isWaiting()) {
            return head;
        }
        for (int i = first; i < ahead.size(); i++) {
            FetchJob job = ahead.get(i);
            if (job.isWaiting()) {
                return job;
            }
            if (i == first && job.fetch() == null) {
                // Decoded: it never waits again.
                first++;
            }
        }
        return null;
    }

    /** What the reader decodes through. Waits for the beginning of the file if the reader looks at it. */
    FileView view() throws IOException {
        if (view == null) {
            List<Segment> fixed = List.of();
            if (head != null) {
                queue.claim(head);
                fixed = head.fetch().segments();
            }
            view = new FileView(
                    plan.file(), plan.file().length(), fixed, null, all, queue, source, services.counters());
        }
        return view;
    }

    /** Gives up what was not decoded and releases the rest. Any thread, more than once. */
    void close() {
        FileView open = view;
        if (head != null) {
            if (open == null) {
                queue.abandon(head);
            } else {
                queue.done(head);
            }
        }
        if (open != null) {
            open.close();
        } else {
            all.forEach(queue::abandon);
        }
    }
}
