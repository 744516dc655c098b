// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.governor.Lease;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.reader.fetch.Fetch;
import io.asyncscan.reader.fetch.FetchJob;
import io.asyncscan.reader.fetch.JobSequence;
import io.asyncscan.reader.fetch.ReadAheadQueue;
import io.asyncscan.reader.fetch.Segment;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.RangePlanner;
import io.asyncscan.reader.storage.ThreadBytesRead;
import io.asyncscan.reader.view.TaskReadScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Parquet scan of one task. Its units are {@linkplain PlannedRun runs} that were planned on the driver and
 * {@linkplain FileSplit splits} of files whose footers the task has to read itself; those footers are jobs like any
 * other and are fetched ahead as well.
 */
public final class ParquetTaskScan implements TaskScan {
    private static final Logger LOG = LoggerFactory.getLogger(ParquetTaskScan.class);

    /** Units whose footers are fetched ahead of the one whose data is (they are small and take a full round trip). */
    private static final int FOOTERS_AHEAD = 16;

    private final List<ScanUnit> units;
    private final ScanServices services;
    private final ParquetNeeds needs;
    private final ReadAheadQueue queue;

    /** What is known of each unit; slots fill from the front and are cleared when the reader has passed. */
    private final UnitState[] states;

    /** The unit the reader is in; -1 before the first. */
    private int current = -1;

    /** The first unit whose jobs were not all handed out. Never before {@link #current}. */
    private int planned;

    private long ordinals;

    /** Whether a file was planned here: the first data of a task that does so is fetched in a hurry. */
    private boolean anyPlanned;

    /** A plan is being made or narrowed: until that is done no further job is handed out. */
    private boolean planning;

    /** A scan of {@code units}. Nothing is fetched before {@link #topUp} or {@link #next}. */
    public ParquetTaskScan(List<ScanUnit> units, ScanServices services, ParquetNeeds needs) {
        this.units = units;
        this.services = services;
        this.needs = needs;
        this.states = new UnitState[units.size()];
        this.queue = new ReadAheadQueue(
                services.pool(),
                services.budget(),
                new Jobs(),
                services.readAheadDepth(),
                services.hedge(),
                services.counters(),
                services.killed());
    }

    @Override
    public void topUp() throws IOException {
        queue.topUp();
    }

    @Override
    public long giveBack(long bytes) {
        return queue.giveBack(bytes);
    }

    @Override
    public Optional<Step> next() throws IOException {
        leave();
        if (current + 1 >= units.size()) {
            return Optional.empty();
        }
        current++;
        planned = Math.max(planned, current);
        queue.topUp();
        UnitState state = state(current);
        RunState run = state.run();
        if (run != null) {
            lookFirst(run);
        }
        queue.topUp();
        Part part = units.get(current) instanceof FileSplit split
                ? new Part(split.from(), split.to() - split.from())
                : new Part(run.plan().start(), run.plan().length());
        if (run == null) {
            return Optional.of(new Step(current, Optional.empty(), part.start(), part.length(), part));
        }
        // The whole view: which row groups it has is what the trimmed footer says.
        Part whole = new Part(0, run.view().length());
        return Optional.of(new Step(current, Optional.of(run.view()), part.start(), part.length(), whole));
    }

    /** Lets dictionaries and bloom filters rule row groups out before the reader gets to their data. */
    private void lookFirst(RunState run) throws IOException {
        planning = true;
        try {
            run.lookFirst();
        } finally {
            planning = false;
        }
    }

    @Override
    public void leave() {
        if (current >= 0 && states[current] != null) {
            states[current].close();
            states[current] = null;
            planned = Math.max(planned, current + 1);
        }
    }

    @Override
    public void close() {
        queue.close();
        for (UnitState state : states) {
            if (state != null) {
                state.close();
            }
        }
    }

    private UnitState state(int index) {
        if (states[index] == null) {
            states[index] = new UnitState(units.get(index));
        }
        return states[index];
    }

    /** The jobs of all units in order; footers up to {@link #FOOTERS_AHEAD} units further. */
    private final class Jobs implements JobSequence {
        @Override
        public FetchJob peek() {
            if (planning) {
                // The plan itself is reading, through the queue: there is nothing to hand out before it is made.
                return null;
            }
            planning = true;
            try {
                return find();
            } finally {
                planning = false;
            }
        }

        private FetchJob find() {
            while (planned < units.size()) {
                UnitState state = state(planned);
                FetchJob job = state.peek();
                if (job != null) {
                    return job;
                }
                if (!state.exhausted()) {
                    return footerAhead();
                }
                planned++;
            }
            return null;
        }

        private FetchJob footerAhead() {
            int end = Math.min(units.size(), planned + FOOTERS_AHEAD);
            for (int i = planned + 1; i < end; i++) {
                FetchJob footer = state(i).footerAhead();
                if (footer != null) {
                    return footer;
                }
            }
            return null;
        }

        @Override
        public void dropped() {
            planned = Math.max(current, 0);
        }
    }

    /**
     * One unit: its footer job until that is complete and planned, its run then.
     *
     * <p>What fails while a unit is looked at ahead of its turn is tried again when the reader gets there, and fails for
     * good there: an error belongs to its file, and files before it must not suffer.
     */
    private final class UnitState {
        private final ScanUnit unit;
        private TailSource tailSource;
        private FetchJob footer;
        private RunState run;

        /** The whole file came with its footer; it stays until the reader has left. */
        private boolean dataAtHand;

        /** The reader is shown the file itself. */
        private boolean raw;

        /** Looking ahead has failed: nothing more of the unit is handed out before its turn. */
        private boolean postponed;

        UnitState(ScanUnit unit) {
            this.unit = unit;
            try {
                open();
            } catch (IOException | RuntimeException e) {
                postpone(e);
            }
        }

        private void open() throws IOException {
            if (unit instanceof PlannedRun known) {
                run = new RunState(known.run(), services, needs, queue, () -> ordinals++);
                return;
            }
            FileRef file = unit.file();
            if (file.length() == 0) {
                raw = true;
                return;
            }
            tailSource = new TailSource(services.source(file));
            long guess = ParquetFooter.firstGuess(file.length());
            ByteRange tail = new ByteRange(file.length() - guess, guess);
            footer = new FetchJob(tailSource, file, List.of(tail), guess, ordinals++, services.counters());
        }

        private void postpone(Exception e) {
            LOG.debug("{} cannot be looked at ahead", unit, e);
            postponed = true;
        }

        FetchJob peek() {
            if (raw || postponed) {
                return null;
            }
            if (run == null) {
                if (footer.isWaiting()) {
                    return footer;
                }
                Fetch fetch = footer.fetch();
                if (fetch == null || !fetch.isDone()) {
                    return null;
                }
                try {
                    fetch.check();
                    plan(true);
                } catch (IOException e) {
                    postpone(e);
                }
            }
            return run == null ? null : run.peek();
        }

        FetchJob footerAhead() {
            return footer != null && !postponed && footer.isWaiting() ? footer : null;
        }

        /** Whether a null of {@link #peek} means that nothing of the unit is left to be read ahead. */
        boolean exhausted() {
            return raw || postponed || (run != null && run.isPruned());
        }

        /** The run, its footer waited for if need be; null if the reader is shown the file itself. */
        RunState run() throws IOException {
            if (postponed) {
                postponed = false;
                planned = current;
                if (run == null && footer == null) {
                    open();
                }
            }
            if (run == null && !raw) {
                queue.claim(footer);
                boolean outer = planning;
                planning = true;
                try {
                    if (run == null && !raw) {
                        plan(false);
                    }
                } finally {
                    planning = outer;
                }
            }
            return run;
        }

        private void plan(boolean ahead) throws IOException {
            long before = ThreadBytesRead.now();
            try {
                run = newRun(ahead);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            } catch (RuntimeException e) {
                // A plan is a help, and a file may be odder than it knows; what the reader makes of it counts.
                LOG.debug("{} cannot be planned", unit, e);
                services.counters().misses.increment();
            } finally {
                services.counters().bytesCountedByHadoop.add(ThreadBytesRead.now() - before);
            }
            raw = run == null;
            if (raw || !dataAtHand) {
                dataAtHand = false;
                queue.done(footer);
            }
        }

        /**
         * The run of the row groups of the split; null if its footer cannot be planned with.
         *
         * @param ahead the reader has not got to the unit yet
         */
        private RunState newRun(boolean ahead) throws IOException {
            Segment segment = footer.fetch().segments().get(0);
            FileTail tail = new FileTail(tailSource.pinned(), segment.bytes());
            FileSplit split = (FileSplit) unit;
            ByteSource source = services.source(tail.file());
            TaskReadScope scope = new TaskReadScope(services.counters(), queue::isStopped);
            ParquetFooter.Parsed parsed = ParquetFooter.parse(tail);
            if (parsed instanceof ParquetFooter.Parsed.Longer longer) {
                // Charged until the plan is made, which keeps what it needs of it.
                TaskBudget budget = services.budget();
                Lease lease = ahead
                        ? budget.tryReserve(longer.length())
                                .orElseThrow(() -> new IOException("no memory yet for the footer of " + unit))
                        : budget.reserveHead(longer.length());
                services.counters().peakBytes.accumulate(budget.held());
                try {
                    return newRun(FooterReader.complete(source, tail, scope), split, source, scope);
                } finally {
                    lease.close();
                }
            }
            return newRun(parsed, split, source, scope);
        }

        private RunState newRun(ParquetFooter.Parsed parsed, FileSplit split, ByteSource source, TaskReadScope scope)
                throws IOException {
            if (!(parsed instanceof ParquetFooter.Parsed.Complete complete)) {
                return null;
            }
            FileTail tail = complete.footer().tail();
            ParquetPlanner planner = new ParquetPlanner(needs, services.requestCost(tail.file()));
            FilePlan plan = planner.plan(complete.footer(), split.from(), split.to(), range -> {
                byte[] bytes = new byte[Math.toIntExact(range.length())];
                source.read(tail.file(), range.offset(), bytes, 0, bytes.length, scope);
                return bytes;
            });
            services.counters().rowGroupsPruned.add(plan.pruned());
            RunPlan runPlan;
            if (tail.offset() == 0) {
                runPlan = plan.runAtHand(tail.bytes());
                dataAtHand = true;
            } else {
                runPlan = plan.run(wanted -> requests(tail.file(), wanted));
            }
            return new RunState(runPlan, services, needs, queue, () -> ordinals++);
        }

        private List<ByteRange> requests(FileRef file, List<ByteRange> wanted) {
            try {
                List<ByteRange> requests = services.requests(file, wanted);
                if (anyPlanned) {
                    return requests;
                }
                anyPlanned = true;
                return RangePlanner.spread(requests);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void close() {
            if (dataAtHand) {
                queue.done(footer);
            } else if (footer != null) {
                queue.abandon(footer);
            }
            if (run != null) {
                run.view().close();
            }
        }
    }
}
