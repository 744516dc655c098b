// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ReadUnit;
import io.asyncscan.connector.bridge.ScanSupport;
import io.asyncscan.connector.bridge.ScanSupport.ListedFile;
import io.asyncscan.connector.bridge.StoreAccess;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.parquet.FilePlan;
import io.asyncscan.reader.parquet.FooterReader;
import io.asyncscan.reader.parquet.ParquetFooter;
import io.asyncscan.reader.parquet.ParquetNeeds;
import io.asyncscan.reader.parquet.ParquetPlanner;
import io.asyncscan.reader.parquet.PlannedRun;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.RangePlanner;
import io.asyncscan.reader.view.TaskReadScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans the partitions of one Parquet scan on the driver: reads footers, many at a time, rules row groups out, and packs the
 * rest by the bytes that will be fetched.
 *
 * <p>Footers that were read are kept for as long as the scan lives, so that planning again after a runtime filter costs
 * nothing. Called by one thread at a time.
 */
final class ParquetPartitionPlanner implements PartitionPlanner {
    private static final Logger LOG = LoggerFactory.getLogger(ParquetPartitionPlanner.class);

    /** What a row group costs besides its bytes (bytes): a request and a call of the decoder. */
    private static final long JOB_COST = 64 << 10;

    private final ScanSupport support;
    private final ReadOptions options;
    private final ParquetNeeds needs;
    private final int limit;
    private final StoreAccess stores;
    private final ScanCounters counters = new ScanCounters();

    /** Plans of files whose footer was read; empty for files the executors have to look at themselves. */
    private final ConcurrentHashMap<FileRef, Optional<FilePlan>> plans = new ConcurrentHashMap<>();

    /**
     * A planner for one scan.
     *
     * @param limit rows that are wanted at most, or -1
     */
    ParquetPartitionPlanner(ScanSupport support, ReadOptions options, ParquetNeeds needs, int limit) {
        this.support = support;
        this.options = options;
        this.needs = needs;
        this.limit = limit;
        this.stores = StoreAccess.of(support.hadoopConf(), options);
    }

    @Override
    public Plan plan(List<ListedFile> files) {
        long start = System.nanoTime();
        boolean onDriver = files.size() <= options.footerPlanningMaxFiles();
        if (onDriver) {
            List<FileRef> missing = new ArrayList<>();
            for (ListedFile file : files) {
                if (isPlannedHere(file) && !plans.containsKey(file.file())) {
                    missing.add(file.file());
                }
            }
            ParallelCalls.forEach(missing, file -> plans.put(file, planFile(file)));
        }
        Packer packer = new Packer(files, onDriver);
        List<AsyncInputPartition> partitions = packer.pack();
        long millis = (System.nanoTime() - start) / 1_000_000;
        return new Plan(
                partitions, packer.rows(), packer.pruned, millis, counters.requests.sum(), counters.bytesFetched.sum());
    }

    /**
     * Whether the driver reads the footer of {@code file}: small files are left to the tasks, which get the data with the
     * same request, unless the number of rows is asked for.
     */
    private boolean isPlannedHere(ListedFile file) {
        return file.file().length() > ParquetFooter.WHOLE_FILE || support.isCostBased();
    }

    /** The plan of one file; nothing if the reader has to be shown the file itself. */
    private Optional<FilePlan> planFile(FileRef file) {
        try {
            StoreAccess.Store store = stores.of(file);
            TaskReadScope scope = new TaskReadScope(counters, () -> false);
            ParquetFooter.Parsed parsed = footer(store, file, scope);
            if (!(parsed instanceof ParquetFooter.Parsed.Complete complete)) {
                LOG.debug("{} is left to Spark's reader: {}", file.path(), parsed);
                return Optional.empty();
            }
            FileRef pinned = complete.footer().file();
            ParquetPlanner planner = new ParquetPlanner(needs, store.ranges().maxCoalesceGap());
            return Optional.of(planner.plan(complete.footer(), 0, Long.MAX_VALUE, range -> {
                byte[] bytes = new byte[Math.toIntExact(range.length())];
                store.source().read(pinned, range.offset(), bytes, 0, bytes.length, scope);
                return bytes;
            }));
        } catch (IOException | RuntimeException e) {
            // The task that reads the file meets the same error, or succeeds: it is the place where Spark reports
            // errors of files, or skips them if it was told to.
            LOG.debug("{} cannot be planned on the driver", file.path(), e);
            return Optional.empty();
        }
    }

    private ParquetFooter.Parsed footer(StoreAccess.Store store, FileRef file, TaskReadScope scope) throws IOException {
        Optional<ScanSupport.InferredFrom> known = support.takeSchemaFooter(file);
        if (known.isEmpty()) {
            return FooterReader.read(store.source(), file, scope);
        }
        counters.requests.add(known.get().requests());
        counters.bytesFetched.add(known.get().tail().bytes().length);
        return FooterReader.complete(store.source(), known.get().tail(), scope);
    }

    /** Packs row groups into partitions. */
    private final class Packer {
        private final List<ListedFile> files;
        private final boolean onDriver;
        private final List<AsyncInputPartition> partitions = new ArrayList<>();
        private final long maxBytes;
        private final PartitionSizes sizes;
        private long pruned;
        private long rows;
        private boolean allRowsKnown = true;

        private List<ReadUnit> units = new ArrayList<>();
        private List<String> hosts = List.of();
        private long cost;
        private long target;

        Packer(List<ListedFile> files, boolean onDriver) {
            this.files = files;
            this.onDriver = onDriver;
            this.maxBytes = options.fixedPartitionBytes().orElse(support.maxPartitionBytes());
            long total = 0;
            for (ListedFile file : files) {
                Optional<FilePlan> plan = planOf(file);
                if (plan.isPresent()) {
                    for (int i = 0; i < plan.get().size(); i++) {
                        total += plan.get().bytes(i) + JOB_COST;
                    }
                } else {
                    total += file.file().length() + JOB_COST;
                }
            }
            this.sizes = new PartitionSizes(total, support.parallelism(), maxBytes, support.openCostBytes());
            this.target = sizes.next();
        }

        private Optional<FilePlan> planOf(ListedFile file) {
            return onDriver ? plans.getOrDefault(file.file(), Optional.empty()) : Optional.empty();
        }

        OptionalLong rows() {
            return allRowsKnown ? OptionalLong.of(rows) : OptionalLong.empty();
        }

        List<AsyncInputPartition> pack() {
            for (ListedFile file : files) {
                if (isLimitReached()) {
                    break;
                }
                Optional<FilePlan> plan = planOf(file);
                if (plan.isPresent()) {
                    addPlanned(file, plan.get());
                } else {
                    allRowsKnown = false;
                    addSplits(file);
                }
            }
            flush();
            return partitions;
        }

        /** Enough rows for a pushed limit; not relied on where files may be skipped. */
        private boolean isLimitReached() {
            return limit >= 0 && allRowsKnown && rows >= limit && !support.maySkipFiles();
        }

        private void addPlanned(ListedFile file, FilePlan plan) {
            pruned += plan.pruned();
            int from = 0;
            long runCost = 0;
            for (int i = 0; i < plan.size() && !isLimitReached(); i++) {
                long jobCost = plan.bytes(i) + JOB_COST;
                // Cut where that comes closer to the target than going on.
                if (cost + runCost > 0 && cost + runCost + jobCost / 2 > target) {
                    addRun(file, plan, from, i, runCost);
                    flush();
                    from = i;
                    runCost = 0;
                }
                runCost += jobCost;
                rows += plan.rows(i);
                if (i + 1 == plan.size() || isLimitReached()) {
                    addRun(file, plan, from, i + 1, runCost);
                }
            }
        }

        private void addRun(ListedFile file, FilePlan plan, int from, int to, long runCost) {
            if (from == to) {
                return;
            }
            try {
                StoreAccess.Store store = stores.of(file.file());
                AtomicBoolean first = new AtomicBoolean(units.isEmpty());
                ScanUnit unit = new PlannedRun(plan.run(from, to, wanted -> {
                    List<ByteRange> requests = RangePlanner.plan(wanted, store.ranges());
                    return first.getAndSet(false) ? RangePlanner.spread(requests) : requests;
                }));
                add(file, unit, runCost);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(
                        "cannot plan " + file.file().path(), e);
            }
        }

        /** Files whose footers the tasks read: cut by bytes, as Spark's own scan does. */
        private void addSplits(ListedFile file) {
            long length = file.file().length();
            long chunk = Math.max(1, Math.min(maxBytes, Math.max(support.openCostBytes(), target)));
            for (long start = 0; start < length; start += chunk) {
                long end = Math.min(length, start + chunk);
                long splitCost = end - start + JOB_COST;
                if (cost > 0 && cost + splitCost / 2 > target) {
                    flush();
                }
                add(file, new FileSplit(file.file(), start, end), splitCost);
            }
        }

        private void add(ListedFile file, ScanUnit unit, long unitCost) {
            if (units.isEmpty()) {
                hosts = file.hosts();
            }
            units.add(new ReadUnit(unit, file.url(), support.readPartitionValues(file.partitionValues())));
            cost += unitCost;
        }

        private void flush() {
            if (!units.isEmpty()) {
                partitions.add(new AsyncInputPartition(List.copyOf(units), hosts));
                sizes.made(cost);
                target = sizes.next();
                units = new ArrayList<>();
                cost = 0;
            }
        }
    }
}
