// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.connector.bridge.ReadUnit;
import io.asyncscan.connector.bridge.ScanSupport.ListedFile;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.storage.FileRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.junit.jupiter.api.Test;

class LinePartitionPlannerTest {
    private static final long MIB = 1 << 20;

    private static List<AsyncInputPartition> plan(int slots, long max, long... lengths) {
        List<ListedFile> files = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            String path = "/f" + i + (lengths[i] < 0 ? ".gz" : "");
            FileRef ref = FileRef.listed(path, Math.abs(lengths[i]), 1);
            files.add(new ListedFile(ref, path, InternalRow.empty(), List.of("host" + i)));
        }
        LinePartitionPlanner planner = new LinePartitionPlanner(
                new LinePartitionPlanner.Limits(slots, max, 4 * MIB),
                file -> !file.path().endsWith(".gz"),
                row -> row);
        return planner.plan(files).partitions();
    }

    private static List<FileSplit> splits(List<AsyncInputPartition> partitions) {
        return partitions.stream()
                .flatMap(partition -> partition.units().stream())
                .map(ReadUnit::unit)
                .map(FileSplit.class::cast)
                .toList();
    }

    private static long bytes(AsyncInputPartition partition) {
        return partition.units().stream().mapToLong(unit -> unit.unit().bytes()).sum();
    }

    /** Every byte of every file is in one split, and a partition has one piece of a file at most. */
    private static void checkCover(List<AsyncInputPartition> partitions, long... lengths) {
        Map<String, TreeMap<Long, Long>> pieces = new HashMap<>();
        for (FileSplit split : splits(partitions)) {
            pieces.computeIfAbsent(split.file().path(), path -> new TreeMap<>()).put(split.from(), split.to());
        }
        long total = 0;
        for (TreeMap<Long, Long> file : pieces.values()) {
            long at = 0;
            for (Map.Entry<Long, Long> piece : file.entrySet()) {
                assertEquals(at, piece.getKey());
                assertTrue(piece.getValue() > at || file.size() == 1);
                at = piece.getValue();
            }
            total += at;
        }
        assertEquals(Arrays.stream(lengths).map(Math::abs).sum(), total);
        for (AsyncInputPartition partition : partitions) {
            assertEquals(
                    partition.units().size(),
                    partition.units().stream()
                            .map(unit -> unit.unit().file())
                            .distinct()
                            .count());
        }
    }

    @Test
    void nothingIsNothing() {
        assertEquals(List.of(), plan(2, 128 * MIB));
        assertEquals(List.of(), plan(2, 128 * MIB, 0));
        assertEquals(1, splits(plan(2, 128 * MIB, -0L, -1)).size());
    }

    @Test
    void oneFileIsSharedByAllSlots() {
        List<AsyncInputPartition> partitions = plan(2, 128 * MIB, 192 * MIB);
        assertEquals(2, partitions.size());
        assertTrue(Math.abs(bytes(partitions.get(0)) - bytes(partitions.get(1))) < MIB, partitions.toString());
        checkCover(partitions, 192 * MIB);
    }

    @Test
    void aLargeScanEndsWithSmallPartitions() {
        List<AsyncInputPartition> partitions = plan(4, 128 * MIB, 3000 * MIB);
        checkCover(partitions, 3000 * MIB);
        assertEquals(128 * MIB, bytes(partitions.get(0)));
        assertTrue(bytes(partitions.get(partitions.size() - 1)) <= 40 * MIB, partitions.toString());
    }

    @Test
    void aFileThatCannotBeCutIsWhole() {
        List<AsyncInputPartition> partitions = plan(2, 16 * MIB, -10 * MIB, -200 * MIB, -5 * MIB, 40 * MIB);
        checkCover(partitions, 10 * MIB, 200 * MIB, 5 * MIB, 40 * MIB);
        assertEquals("/f1.gz", splits(partitions).get(0).file().path(), "the largest first");
        assertTrue(splits(partitions).stream()
                .filter(split -> split.file().path().endsWith(".gz"))
                .allMatch(
                        split -> split.from() == 0 && split.to() == split.file().length()));
    }

    @Test
    void smallFilesSharePartitions() {
        long[] lengths = new long[1000];
        Arrays.fill(lengths, 100_000);
        List<AsyncInputPartition> partitions = plan(2, 128 * MIB, lengths);
        assertEquals(2, partitions.size());
        checkCover(partitions, lengths);
        assertEquals(List.of("host0"), partitions.get(0).hosts());
    }

    @Test
    void anySizesAreCovered() {
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            long[] lengths = new long[1 + random.nextInt(12)];
            for (int i = 0; i < lengths.length; i++) {
                lengths[i] = random.nextInt(5) == 0 ? -1 - random.nextInt(500) : 1 + random.nextInt(2000);
            }
            checkCover(plan(1 + random.nextInt(5), 1 + random.nextInt(700), lengths), lengths);
        }
    }
}
