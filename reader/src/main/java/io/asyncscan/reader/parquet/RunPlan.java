// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.FileRef;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.filter2.predicate.FilterPredicate;

/**
 * A run: neighbouring row groups of one file that one reader call decodes, with everything an executor needs for it.
 * Immutable and serializable.
 */
public final class RunPlan implements Serializable {
    private static final long serialVersionUID = 1L;

    private final FileRef file;
    private final long start;
    private final long length;
    private final List<Piece> fixed;
    private final JobPlan metadata;
    private final List<JobPlan> jobs;
    private final FilterPredicate predicate;

    /** Bytes of the file that travel with the plan. */
    record Piece(long offset, byte[] bytes) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /**
     * A run.
     *
     * @param start first byte of the part of the file that is the run's: where its first row group starts, or 0 for the
     *     first run of a file
     * @param length bytes from there to the start of the next run, or to the end of the file
     * @param fixed page indexes and, last, the trimmed footer
     * @param metadata dictionaries and bloom filters that are read before any data; null if none are
     * @param predicate what the reader will filter by; null if nothing
     */
    RunPlan(
            FileRef file,
            long start,
            long length,
            List<Piece> fixed,
            JobPlan metadata,
            List<JobPlan> jobs,
            FilterPredicate predicate) {
        this.file = file;
        this.start = start;
        this.length = length;
        this.fixed = List.copyOf(fixed);
        this.metadata = metadata;
        this.jobs = List.copyOf(jobs);
        this.predicate = predicate;
    }

    /** The same run with the whole file at hand: nothing is left to fetch. */
    RunPlan withData(byte[] wholeFile) {
        List<JobPlan> nothing = new ArrayList<>();
        for (JobPlan job : jobs) {
            nothing.add(new JobPlan(List.of(), 0, job.rows(), job.rowGroupStart(), false));
        }
        List<Piece> all = List.of(new Piece(0, wholeFile), fixed.get(fixed.size() - 1));
        return new RunPlan(file, start, length, all, null, nothing, predicate);
    }

    /** The file, pinned to the version that was planned. */
    public FileRef file() {
        return file;
    }

    /** First byte of the part of the file that is the run's. */
    public long start() {
        return start;
    }

    /** Bytes of the part of the file that is the run's. */
    public long length() {
        return length;
    }

    /** Length of the file as the reader sees it: up to the end of the trimmed footer (bytes). */
    public long viewLength() {
        Piece footer = fixed.get(fixed.size() - 1);
        return footer.offset() + footer.bytes().length;
    }

    List<Piece> fixed() {
        return fixed;
    }

    /** The job of what filters read before any data, if there is one. */
    public Optional<JobPlan> metadata() {
        return Optional.ofNullable(metadata);
    }

    /** The row groups to decode, in file order. */
    public List<JobPlan> jobs() {
        return jobs;
    }

    Optional<FilterPredicate> predicate() {
        return Optional.ofNullable(predicate);
    }

    /** Bytes that will be fetched for the run if nothing more is pruned. */
    public long bytes() {
        long sum = metadata == null ? 0 : metadata.bytes();
        for (JobPlan job : jobs) {
            sum += job.bytes();
        }
        return sum;
    }

    /** Rows of the run's row groups. */
    public long rows() {
        long sum = 0;
        for (JobPlan job : jobs) {
            sum += job.rows();
        }
        return sum;
    }

    @Override
    public String toString() {
        return "run of " + jobs.size() + " row groups at " + start + " of " + file.path();
    }
}
