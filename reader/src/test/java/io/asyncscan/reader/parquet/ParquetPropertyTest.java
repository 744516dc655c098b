// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.parquet.ParquetNeeds.FilterLevels;
import io.asyncscan.reader.parquet.Samples.Shape;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.RangePolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever the file, the columns and the predicate: the same rows at the same places, and no byte was missed. */
@Timeout(120)
class ParquetPropertyTest {
    private static final List<String> COLUMNS = List.of("id", "few", "text", "real", "nest", "list");

    @Test
    void aScanReadsWhatParquetReads() throws IOException {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            byte[] bytes = Samples.file(Samples.rows(random.nextInt(1500), random), Shape.random(random));
            FilterPredicate predicate = random.nextInt(5) == 0 ? null : predicate(random, 2);
            Set<String> columns = columns(random, predicate);
            MessageType projection = Samples.project(columns);
            FilterLevels levels = new FilterLevels(
                    random.nextInt(4) > 0, random.nextInt(4) > 0, random.nextInt(4) > 0, random.nextInt(4) > 0);
            ScanFixture scan = new ScanFixture(Samples.needs(projection, predicate, levels), projection);
            scan.depth = random.nextInt(3) == 0 ? random.nextInt(4) : -1;
            scan.requestCost = random.nextBoolean() ? 0 : random.nextInt(20_000);
            scan.policy = new RangePolicy(1000 + random.nextInt(100_000), random.nextInt(2_000), 0.2);
            if (random.nextInt(3) == 0) {
                scan.memory.resize(random.nextInt(20_000));
            }
            FileRef file = scan.add("file", bytes);
            // Without any pruning: what is ruled out must not have had a row.
            List<String> expected = Samples.read(
                    new BytesFile(bytes),
                    0,
                    bytes.length,
                    Samples.needs(projection, predicate, Samples.NONE),
                    projection);
            String what = "seed " + seed + " " + predicate + " of " + columns + " " + levels;
            assertEquals(expected, scan.read(units(scan, file, random)), what);
            assertEquals(0, scan.counters.misses.sum(), what);
        }
    }

    /** The file as one split, as several, or as planned runs. */
    private static List<ScanUnit> units(ScanFixture scan, FileRef file, Random random) throws IOException {
        List<ScanUnit> units = new ArrayList<>();
        if (random.nextBoolean()) {
            FilePlan plan = scan.plan(file);
            int from = 0;
            while (from < plan.size()) {
                int to = from + 1 + random.nextInt(plan.size() - from);
                units.add(scan.planned(file, plan, from, to));
                from = to;
            }
        } else {
            long from = 0;
            while (from < file.length()) {
                long to = Math.min(file.length(), from + 1 + random.nextInt(Math.toIntExact(file.length())));
                units.add(new FileSplit(file, from, to));
                from = to;
            }
        }
        return units;
    }

    @Test
    void thePlanIsWhatParquetReadsAndNotMore() throws IOException {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(1000 + seed);
            byte[] bytes = Samples.file(Samples.rows(1 + random.nextInt(1500), random), Shape.random(random));
            FilterPredicate predicate = random.nextInt(5) == 0 ? null : predicate(random, 2);
            Set<String> columns = columns(random, predicate);
            MessageType projection = Samples.project(columns);
            // Without the levels that the planner leaves to the task.
            FilterLevels levels = new FilterLevels(random.nextBoolean(), false, random.nextBoolean(), false);
            ParquetNeeds needs = Samples.needs(projection, predicate, levels);
            ScanFixture scan = new ScanFixture(needs, projection);
            FileRef file = scan.add("file", bytes);
            FilePlan plan = scan.plan(file);
            List<ByteRange> planned = new ArrayList<>();
            if (plan.size() > 0) {
                RunPlan run = plan.run(0, plan.size(), wanted -> wanted);
                assertTrue(run.metadata().isEmpty());
                run.jobs().forEach(job -> planned.addAll(job.requests()));
            }
            BytesFile recorded = new BytesFile(bytes);
            Samples.read(recorded, 0, bytes.length, needs, projection);
            long dataEnd = dataEnd(bytes);
            List<ByteRange> data = recorded.reads().stream()
                    .filter(range -> range.offset() < dataEnd)
                    .map(range -> ByteRange.between(range.offset(), Math.min(range.end(), dataEnd)))
                    .toList();
            String what = "seed " + seed + " " + predicate + " of " + columns + " " + levels;
            assertEquals(data, FilePlan.join(planned), what);
        }
    }

    /** Where the last page ends and indexes, filters or the footer begin. */
    private static long dataEnd(byte[] bytes) {
        return Samples.footer(bytes).metadata().getBlocks().stream()
                .flatMap(block -> block.getColumns().stream())
                .mapToLong(chunk -> chunk.getStartingPos() + chunk.getTotalSize())
                .max()
                .orElse(4);
    }

    private static Set<String> columns(Random random, FilterPredicate predicate) {
        Set<String> columns = new HashSet<>();
        for (String column : COLUMNS) {
            if (random.nextInt(3) == 0) {
                columns.add(column);
            }
        }
        if (predicate != null) {
            for (ColumnPath path : PredicateTraits.of(predicate).columns()) {
                // Filters look at columns that are read, as in Spark; one may be missing in the file.
                columns.add(path.toArray()[0]);
            }
        }
        return columns;
    }

    private static FilterPredicate predicate(Random random, int depth) {
        if (depth > 0 && random.nextInt(3) == 0) {
            FilterPredicate left = predicate(random, depth - 1);
            FilterPredicate right = predicate(random, depth - 1);
            return switch (random.nextInt(3)) {
                case 0 -> FilterApi.and(left, right);
                case 1 -> FilterApi.or(left, right);
                default -> FilterApi.not(left);
            };
        }
        int id = random.nextInt(3200);
        long few = random.nextInt(90);
        Binary text = Binary.fromString("text-" + random.nextInt(700));
        return switch (random.nextInt(12)) {
            case 0 -> FilterApi.gt(FilterApi.intColumn("id"), id);
            case 1 -> FilterApi.ltEq(FilterApi.intColumn("id"), id);
            case 2 ->
                FilterApi.and(
                        FilterApi.gtEq(FilterApi.intColumn("id"), id),
                        FilterApi.lt(FilterApi.intColumn("id"), id + 100));
            case 3 -> FilterApi.eq(FilterApi.intColumn("id"), id);
            case 4 -> FilterApi.eq(FilterApi.longColumn("few"), few);
            case 5 -> FilterApi.in(FilterApi.longColumn("few"), new HashSet<>(List.of(few, few + 1, 10L)));
            case 6 -> FilterApi.eq(FilterApi.binaryColumn("text"), text);
            case 7 -> FilterApi.notEq(FilterApi.binaryColumn("text"), null);
            case 8 -> FilterApi.eq(FilterApi.longColumn("few"), null);
            case 9 -> FilterApi.gt(FilterApi.doubleColumn("real"), random.nextDouble() * 1000);
            case 10 -> FilterApi.eq(FilterApi.intColumn("nest.x"), random.nextInt(40));
            default ->
                random.nextBoolean()
                        ? FilterApi.eq(FilterApi.doubleColumn("real"), random.nextBoolean() ? Double.NaN : -0.0)
                        : FilterApi.notEq(FilterApi.intColumn("id"), id);
        };
    }
}
