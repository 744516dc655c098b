// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import io.asyncscan.reader.fetch.FetchJob;
import io.asyncscan.reader.fetch.JobSequence;
import io.asyncscan.reader.fetch.ReadAheadQueue;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scan of one task over splits of files of lines, or over whole files that are one stream each. Every split is
 * fetched by requests that follow one another in the file, several at a time, also across splits; the reader consumes
 * them in order. So a file that cannot be cut, because it is compressed or its records span lines, still comes over
 * many connections, and the memory for it is that of its read-ahead, however much it unpacks to.
 */
public final class LinesTaskScan implements TaskScan {
    private static final Logger LOG = LoggerFactory.getLogger(LinesTaskScan.class);

    private final List<ScanUnit> units;
    private final ScanServices services;
    private final SplitTails tails;
    private final boolean readsHead;
    private final ReadAheadQueue queue;
    private final Ramp ramp = new Ramp();

    /** What is known of each unit; slots fill from the front and are cleared when the reader has passed. */
    private final LineUnit[] states;

    /** The unit the reader is in; -1 before the first. */
    private int current = -1;

    /** The first unit whose jobs were not all handed out. Never before {@link #current}. */
    private int planned;

    private long ordinals;

    /**
     * A scan of {@code units}, which are {@link FileSplit}s. Nothing is fetched before {@link #topUp} or {@link #next}.
     *
     * @param readsHead whether the reader looks at a file's first line also where it decodes a later part of it
     */
    public LinesTaskScan(List<ScanUnit> units, ScanServices services, SplitTails tails, boolean readsHead) {
        this.units = List.copyOf(units);
        this.services = services;
        this.tails = tails;
        this.readsHead = readsHead;
        this.states = new LineUnit[units.size()];
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
    public Optional<Step> next() throws IOException {
        leave();
        if (current + 1 >= units.size()) {
            return Optional.empty();
        }
        current++;
        planned = Math.max(planned, current);
        FileSplit split = (FileSplit) units.get(current);
        LineUnit unit = state(current);
        queue.topUp();
        Part part = new Part(split.from(), split.bytes());
        return Optional.of(new Step(current, Optional.of(unit.view()), part.start(), part.length(), part));
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
        for (LineUnit state : states) {
            if (state != null) {
                state.close();
            }
        }
    }

    private LineUnit state(int index) throws IOException {
        if (states[index] == null) {
            FileSplit split = (FileSplit) units.get(index);
            LinePlan plan = LinePlan.of(split, tails.of(split.file().path()), readsHead);
            states[index] = new LineUnit(plan, services, queue, ramp, index == units.size() - 1, () -> ordinals++);
        }
        return states[index];
    }

    /** The jobs of all units in order. */
    private final class Jobs implements JobSequence {
        @Override
        public FetchJob peek() {
            while (planned < units.size()) {
                try {
                    FetchJob job = state(planned).peek();
                    if (job != null) {
                        return job;
                    }
                } catch (IOException e) {
                    // It belongs to its file: files before it must not suffer, and the reader meets it in its turn.
                    LOG.debug("{} cannot be looked at ahead", units.get(planned), e);
                    return null;
                }
                planned++;
            }
            return null;
        }

        @Override
        public void dropped() {
            planned = Math.max(current, 0);
        }
    }
}
