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
import io.asyncscan.reader.view.JobRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * One split in a task: its jobs, one request each, and its view. Owns both. Task thread only, except {@link #close}.
 *
 * <p>Jobs are cut when they are next to be fetched, so that they are as long as {@link Ramp} finds right then. Those of the
 * split itself and of its tail are handed out to be fetched ahead; those behind it are claimed by the view when the reader
 * gets there, and that is when they are fetched.
 */
final class LineUnit {
    private final LinePlan plan;
    private final ReadAheadQueue queue;
    private final ScanServices services;
    private final ByteSource source;
    private final Ramp ramp;
    private final boolean last;
    private final LongSupplier ordinals;

    /** The beginning of the file; null if nobody looks at it. */
    private final FetchJob head;

    /** First those of the split and its tail, then those behind it. */
    private final JobRow jobs = new JobRow(this::cut);

    /** First byte of {@link LinePlan#own} that is in no job yet. */
    private long uncut;

    /** How many jobs the split and its tail have so far. */
    private int own;

    /** Place in the plan of the last job of {@link #own}. */
    private long ordinal;

    /** How many ranges of {@link LinePlan#rest} have a job. */
    private int steps;

    /** Null until the reader gets to the split. */
    private FileView view;

    /** The jobs before this one are not waiting and will not be again. */
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
        this.ramp = ramp;
        this.last = last;
        this.ordinals = ordinals;
        FileRef file = plan.file();
        this.source = new OneVersionSource(services.source(file));
        this.head = plan.head()
                .map(range -> new FetchJob(
                        source, file, List.of(range), range.length(), ordinals.getAsLong(), services.counters()))
                .orElse(null);
        this.uncut = plan.own().offset();
    }

    /** The jobs behind those that were cut before. */
    private List<FetchJob> cut() throws IOException {
        List<FetchJob> more = new ArrayList<>();
        if (uncut < plan.own().end()) {
            int longest = Ramp.longest(queue.calm());
            ByteRange next = Ramp.first(ByteRange.between(uncut, plan.own().end()), longest);
            boolean end = last && next.end() == plan.own().end();
            for (ByteRange request : ramp.apply(services.requests(plan.file(), List.of(next), longest), end)) {
                ordinal = ordinals.getAsLong();
                more.add(job(List.of(request), plan.wanted(request)));
            }
            own += more.size();
            uncut = next.end();
        } else if (steps < plan.rest().size()) {
            // Its place in the plan is that of the last byte that is sure to be wanted.
            ByteRange step = plan.rest().get(steps++);
            more.add(job(services.requests(plan.file(), List.of(step)), 0));
        }
        return more;
    }

    private FetchJob job(List<ByteRange> requests, long wanted) {
        // Readers of lines copy what they read.
        return new FetchJob(source, plan.file(), requests, wanted, ordinal, services.counters())
                .reusing(services.buffers());
    }

    /** The first job to be fetched ahead that is waiting; null if there is none. */
    FetchJob peek() throws IOException {
        if (head != null && head.isWaiting()) {
            return head;
        }
        for (int i = first; i < own; i++) {
            FetchJob job = jobs.get(i);
            if (job.isWaiting()) {
                return job;
            }
            if (i == first && job.fetch() == null) {
                // Decoded: it never waits again.
                first++;
            }
        }
        if (uncut == plan.own().end()) {
            return null;
        }
        int next = own;
        jobs.grow();
        return jobs.get(next);
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
                    plan.file(), plan.file().length(), fixed, null, jobs, queue, source, services.counters());
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
            for (int i = 0; i < jobs.size(); i++) {
                queue.abandon(jobs.get(i));
            }
        }
    }
}
