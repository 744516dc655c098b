// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ReadUnit;
import io.asyncscan.connector.bridge.ScanSupport.ListedFile;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.storage.FileRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Cuts files of lines into partitions of the sizes that {@link PartitionSizes} asks for. Pure: nothing is read, because
 * nothing in such a file tells where a line begins.
 *
 * <p>A file that can be cut is cut where the partition is full; what two partitions have of it is one piece each. A file
 * that cannot be cut is read by one task. Large files come first, as with Spark's own scan, so that a long one does not
 * begin when all others end.
 */
final class LinePartitionPlanner implements PartitionPlanner {
    /** What a file costs besides its bytes (bytes): a request and a call of the decoder. */
    private static final long FILE_COST = 64 << 10;

    /** A piece that falls short of the partition's size by no more than this share stays whole. */
    private static final int SLACK = 8;

    private final Limits limits;
    private final Predicate<FileRef> splitable;
    private final UnaryOperator<InternalRow> partitionValues;

    /**
     * What bounds partitions.
     *
     * @param slots task slots, at least 1
     * @param maxBytes most bytes of a partition, as far as files can be cut
     * @param minBytes what is not worth a partition of its own
     */
    record Limits(int slots, long maxBytes, long minBytes) {}

    /**
     * A planner for one scan.
     *
     * @param splitable which files may be cut
     * @param partitionValues the values of the partition columns that the scan reads, out of those of all
     */
    LinePartitionPlanner(Limits limits, Predicate<FileRef> splitable, UnaryOperator<InternalRow> partitionValues) {
        this.limits = limits;
        this.splitable = splitable;
        this.partitionValues = partitionValues;
    }

    @Override
    public Plan plan(List<ListedFile> files) {
        long start = System.nanoTime();
        List<ListedFile> largestFirst = new ArrayList<>(files);
        largestFirst.sort(
                Comparator.comparingLong((ListedFile file) -> file.file().length())
                        .reversed());
        Packer packer = new Packer(largestFirst);
        for (ListedFile file : largestFirst) {
            if (splitable.test(file.file())) {
                packer.addParts(file);
            } else {
                packer.addWhole(file);
            }
        }
        packer.flush();
        long millis = (System.nanoTime() - start) / 1_000_000;
        return new Plan(List.copyOf(packer.partitions), OptionalLong.empty(), 0, millis, 0, 0);
    }

    private final class Packer {
        private final List<AsyncInputPartition> partitions = new ArrayList<>();
        private final PartitionSizes sizes;
        private List<ReadUnit> units = new ArrayList<>();
        private List<String> hosts = List.of();
        private long cost;
        private long target;

        Packer(List<ListedFile> files) {
            long total = 0;
            for (ListedFile file : files) {
                total += file.file().length() + FILE_COST;
            }
            sizes = new PartitionSizes(total, limits.slots(), limits.maxBytes(), limits.minBytes());
            target = sizes.next();
        }

        void addParts(ListedFile file) {
            long length = file.file().length();
            long at = 0;
            while (at < length) {
                long left = length - at;
                long room = target - cost;
                if (!units.isEmpty() && room < Math.min(left, target / SLACK)) {
                    flush();
                    continue;
                }
                long take = left <= room + target / SLACK ? left : Math.max(1, room);
                add(file, at, at + take);
                at += take;
            }
        }

        void addWhole(ListedFile file) {
            long length = file.file().length();
            if (!units.isEmpty() && cost + length / 2 > target) {
                flush();
            }
            add(file, 0, length);
        }

        private void add(ListedFile file, long from, long to) {
            if (units.isEmpty()) {
                hosts = file.hosts();
            }
            units.add(new ReadUnit(
                    new FileSplit(file.file(), from, to), file.url(), partitionValues.apply(file.partitionValues())));
            cost += to - from + FILE_COST;
        }

        void flush() {
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
