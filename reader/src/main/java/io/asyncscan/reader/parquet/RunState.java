// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.fetch.FetchJob;
import io.asyncscan.reader.fetch.ReadAheadQueue;
import io.asyncscan.reader.fetch.Segment;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.view.FileView;
import io.asyncscan.reader.view.JobRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run in a task: its jobs, its view, and how far it has been admitted. Task thread only. */
final class RunState {
    private static final Logger LOG = LoggerFactory.getLogger(RunState.class);

    private final RunPlan plan;
    private final FetchJob metadata;
    private final List<FetchJob> jobs = new ArrayList<>();
    private final FileView view;
    private final ScanServices services;
    private final ParquetNeeds needs;

    /** Whether dictionaries and bloom filters were asked, if there are any: before, nothing of the data is fetched. */
    private boolean pruned;

    /** The jobs before this one are done with. */
    private int first;

    RunState(RunPlan plan, ScanServices services, ParquetNeeds needs, ReadAheadQueue queue, LongSupplier ordinals)
            throws IOException {
        this.plan = plan;
        this.services = services;
        this.needs = needs;
        ByteSource source = services.source(plan.file());
        this.metadata = plan.metadata()
                .map(job -> new FetchJob(
                        source, plan.file(), job.requests(), job.wanted(), ordinals.getAsLong(), services.counters()))
                .orElse(null);
        for (JobPlan job : plan.jobs()) {
            FetchJob data = new FetchJob(
                    source, plan.file(), job.requests(), job.wanted(), ordinals.getAsLong(), services.counters());
            jobs.add(job.packed() ? data.reusing(services.buffers()) : data);
        }
        List<Segment> fixed = new ArrayList<>();
        for (RunPlan.Piece piece : plan.fixed()) {
            fixed.add(Segment.of(piece.offset(), piece.bytes()));
        }
        this.pruned = metadata == null;
        JobRow row = JobRow.of(jobs);
        this.view =
                new FileView(plan.file(), plan.viewLength(), fixed, metadata, row, queue, source, services.counters());
    }

    RunPlan plan() {
        return plan;
    }

    FileView view() {
        return view;
    }

    /**
     * The first job that is waiting; null if there is none, or none yet because the metadata has to be looked at first.
     * {@link #isPruned()} tells which.
     */
    FetchJob peek() {
        if (!pruned) {
            if (metadata.isWaiting()) {
                return metadata;
            }
            if (metadata.fetch() != null && !metadata.fetch().isDone()) {
                return null;
            }
            prune();
        }
        while (first < jobs.size()
                && !jobs.get(first).isWaiting()
                && jobs.get(first).fetch() == null) {
            first++;
        }
        for (int i = first; i < jobs.size(); i++) {
            FetchJob job = jobs.get(i);
            if (job.isWaiting() && job.bytes() > 0) {
                return job;
            }
        }
        return null;
    }

    /**
     * Waits for the metadata if there is any, so that what it leaves over is on its way before the reader starts: the
     * reader looks at all of it first and at no data meanwhile.
     */
    void lookFirst() {
        if (!pruned) {
            prune();
        }
    }

    /** Whether a null of {@link #peek} means that no job is waiting. */
    boolean isPruned() {
        return pruned;
    }

    private void prune() {
        pruned = true;
        if (plan.predicate().isEmpty()) {
            return;
        }
        Set<Long> left;
        try {
            left = RunPruner.survivors(view, plan.predicate().get(), needs.levels());
        } catch (IOException | RuntimeException e) {
            // Nothing is ruled out then. If it matters, the reader meets the same when its turn comes, and it is the
            // reader's error that a user should see.
            LOG.debug("cannot look at dictionaries and bloom filters of {} ahead", plan, e);
            return;
        }
        List<FetchJob> survivors = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            if (left.contains(plan.jobs().get(i).rowGroupStart())) {
                survivors.add(jobs.get(i));
            }
        }
        services.counters().rowGroupsPruned.add(jobs.size() - (long) survivors.size());
        jobs.clear();
        jobs.addAll(survivors);
    }
}
