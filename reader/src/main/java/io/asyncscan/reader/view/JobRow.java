// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import io.asyncscan.reader.fetch.FetchJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The data jobs of a view in the order in which the reader gets to them. A row may grow: jobs that are cut when they are
 * needed are as long as is right then.
 *
 * <p>The task thread adds; any thread may look.
 */
public final class JobRow {
    /** Where further jobs come from. */
    @FunctionalInterface
    public interface Source {
        /**
         * The jobs that follow, whose bytes lie behind those of all before; none if that was all. Task thread.
         */
        List<FetchJob> more() throws IOException;
    }

    private final Source source;

    /** Append-only, by the task thread. Guarded by this object's monitor. */
    private final List<FetchJob> jobs = new ArrayList<>();

    /** A row that begins empty and grows from {@code source}. */
    public JobRow(Source source) {
        this.source = source;
    }

    /** A row of {@code jobs}, which does not grow. */
    public static JobRow of(List<FetchJob> jobs) {
        JobRow row = new JobRow(List::of);
        row.jobs.addAll(jobs);
        return row;
    }

    /** Appends what follows; false if nothing does. Task thread. */
    public boolean grow() throws IOException {
        List<FetchJob> more = source.more();
        synchronized (this) {
            return jobs.addAll(more);
        }
    }

    /** How many jobs there are so far. */
    public synchronized int size() {
        return jobs.size();
    }

    /** The job in place {@code index}, below {@link #size}. */
    public synchronized FetchJob get(int index) {
        return jobs.get(index);
    }
}
