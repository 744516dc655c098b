// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.parquet.ParquetNeeds.FilterLevels;
import io.asyncscan.reader.parquet.Samples.Shape;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParquetPlannerTest {
    private static final MessageType ALL_COLUMNS = Samples.SCHEMA;
    private static final FilterPredicate NOWHERE =
            FilterApi.eq(FilterApi.binaryColumn("text"), Binary.fromString("text-2xx"));
    private static final FilterPredicate EARLY = FilterApi.lt(FilterApi.intColumn("id"), 30);

    private final byte[] bytes;
    private final List<ByteRange> fetched = new ArrayList<>();

    ParquetPlannerTest() throws IOException {
        bytes = Samples.file(
                Samples.rows(3000, new Random(8)),
                new Shape(Shape.PLAIN.version(), 1000, 50, true, List.of("text"), Shape.PLAIN.codec()));
    }

    private FilePlan plan(
            byte[] file, MessageType projection, FilterPredicate predicate, FilterLevels levels, long cost)
            throws IOException {
        return plan(Samples.footer(file), file, projection, predicate, levels, cost);
    }

    private FilePlan plan(
            ParquetFooter footer,
            byte[] file,
            MessageType projection,
            FilterPredicate predicate,
            FilterLevels levels,
            long cost)
            throws IOException {
        return new ParquetPlanner(Samples.needs(projection, predicate, levels), cost)
                .plan(footer, 0, Long.MAX_VALUE, range -> {
                    fetched.add(range);
                    return Arrays.copyOfRange(file, Math.toIntExact(range.offset()), Math.toIntExact(range.end()));
                });
    }

    private static RunPlan run(FilePlan plan) throws IOException {
        return plan.run(0, plan.size(), UnaryOperator.identity());
    }

    private ColumnChunkMetaData chunk(int group, int column) {
        return Samples.footer(bytes)
                .metadata()
                .getBlocks()
                .get(group)
                .getColumns()
                .get(column);
    }

    @Test
    void withoutAPredicateTheDataIsTheChunksOfTheColumns() throws IOException {
        FilePlan plan = plan(bytes, Samples.project(Set.of("id", "text")), null, Samples.ALL, 0);
        assertEquals(3, plan.size());
        RunPlan run = run(plan);
        for (int i = 0; i < 3; i++) {
            assertEquals(
                    List.of(
                            new ByteRange(
                                    chunk(i, 0).getStartingPos(), chunk(i, 0).getTotalSize()),
                            new ByteRange(
                                    chunk(i, 2).getStartingPos(), chunk(i, 2).getTotalSize())),
                    run.jobs().get(i).requests());
            assertEquals(1000, run.jobs().get(i).rows());
        }
        assertEquals(3000, run.rows());
        assertTrue(run.metadata().isEmpty());
        assertEquals(1, run.fixed().size(), "the trimmed footer only");
        assertEquals(run.bytes(), plan.bytes(0) + plan.bytes(1) + plan.bytes(2));
    }

    @Test
    void statisticsRuleRowGroupsOut() throws IOException {
        assertEquals(1, plan(bytes, ALL_COLUMNS, EARLY, Samples.ALL, 0).size());
        assertEquals(2, plan(bytes, ALL_COLUMNS, EARLY, Samples.ALL, 0).pruned());
        assertEquals(3, plan(bytes, ALL_COLUMNS, EARLY, Samples.NONE, 0).size(), "not if the reader does not use them");
    }

    @Test
    void pageIndexesNarrowTheData() throws IOException {
        FilePlan narrow = plan(bytes, ALL_COLUMNS, EARLY, Samples.ALL, 0);
        FilePlan whole = plan(bytes, ALL_COLUMNS, EARLY, new FilterLevels(true, true, false, true), 0);
        assertTrue(narrow.bytes(0) < whole.bytes(0), narrow.bytes(0) + " of " + whole.bytes(0));
        assertTrue(run(narrow).fixed().size() > 1, "the indexes travel with the plan");
        assertEquals(1, run(whole).fixed().size());
        assertEquals(List.of(), fetched, "they came with the footer");
    }

    @Test
    void indexesThatDidNotComeAlongAreFetchedOnceIfTheyAreSmall() throws IOException {
        byte[] large = Samples.file(
                Samples.rows(6000, new Random(5)),
                new Shape(Shape.PLAIN.version(), 6000, 500, false, List.of(), Shape.PLAIN.codec()));
        FilePlan with = plan(large, ALL_COLUMNS, EARLY, Samples.ALL, 0);
        assertEquals(List.of(), fetched);
        FilePlan some = plan(bare(large), large, ALL_COLUMNS, EARLY, Samples.ALL, 0);
        assertEquals(1, fetched.size());
        assertEquals(with.bytes(0), some.bytes(0));
        fetched.clear();
        // One column of small pages: its indexes weigh more than a share of its data.
        plan(
                bare(bytes),
                bytes,
                Samples.project(Set.of("few")),
                FilterApi.lt(FilterApi.longColumn("few"), 30L),
                Samples.ALL,
                0);
        assertEquals(List.of(), fetched);
    }

    /** The footer, with nothing of what lies before it. */
    private static ParquetFooter bare(byte[] file) {
        ParquetFooter full = Samples.footer(file);
        byte[] tail = Arrays.copyOfRange(file, Math.toIntExact(full.offset()), file.length);
        return ((ParquetFooter.Parsed.Complete) ParquetFooter.parse(new FileTail(full.file(), tail))).footer();
    }

    @Test
    void filesWithoutIndexesAreReadWhole() throws IOException {
        byte[] old = Footers.rewrite(bytes, footer -> {
            footer.getRow_groups()
                    .forEach(group -> group.getColumns().forEach(chunk -> {
                        chunk.unsetColumn_index_offset();
                        chunk.unsetColumn_index_length();
                        chunk.unsetOffset_index_offset();
                        chunk.unsetOffset_index_length();
                    }));
            return footer;
        });
        assertSameRows(old, EARLY);
        byte[] one = Footers.rewrite(bytes, footer -> {
            footer.getRow_groups().get(0).getColumns().get(3).unsetOffset_index_offset();
            footer.getRow_groups().get(0).getColumns().get(3).unsetOffset_index_length();
            return footer;
        });
        assertSameRows(one, EARLY);
        byte[] noColumnIndex = Footers.rewrite(bytes, footer -> {
            footer.getRow_groups().get(0).getColumns().get(0).unsetColumn_index_offset();
            footer.getRow_groups().get(0).getColumns().get(0).unsetColumn_index_length();
            return footer;
        });
        assertSameRows(noColumnIndex, EARLY);
    }

    @Test
    void indexesThatCannotBeReadAreTakenForNone() throws IOException {
        var offsets = chunk(0, 3).getOffsetIndexReference();
        var columns = chunk(0, 0).getColumnIndexReference();
        for (var index : List.of(offsets, columns)) {
            byte[] damaged = bytes.clone();
            int at = Math.toIntExact(index.getOffset());
            Arrays.fill(damaged, at, at + index.getLength(), (byte) 0);
            assertSameRows(damaged, EARLY);
            FilePlan plan = plan(damaged, ALL_COLUMNS, EARLY, Samples.ALL, 0);
            assertEquals(
                    plan(damaged, ALL_COLUMNS, EARLY, new FilterLevels(true, true, false, true), 0)
                            .bytes(0),
                    plan.bytes(0));
        }
    }

    @Test
    void filtersThatMayRuleOutAreLookedAtFirstWhereThatPays() throws IOException {
        RunPlan looked = run(plan(bytes, ALL_COLUMNS, NOWHERE, Samples.ALL, 0));
        assertTrue(looked.metadata().isPresent());
        long data = looked.jobs().stream().mapToLong(JobPlan::wanted).sum();
        assertTrue(looked.metadata().get().wanted() * 4 <= data);
        assertFalse(
                run(plan(bytes, ALL_COLUMNS, NOWHERE, Samples.ALL, Long.MAX_VALUE))
                        .metadata()
                        .isPresent(),
                "a request more costs more than it saves");
        assertFalse(
                run(plan(bytes, ALL_COLUMNS, EARLY, Samples.ALL, 0)).metadata().isPresent(),
                "a range that overlaps the row group's is hardly ever ruled out");
        assertFalse(
                run(plan(bytes, ALL_COLUMNS, NOWHERE, new FilterLevels(true, false, true, false), 0))
                        .metadata()
                        .isPresent(),
                "the reader would not look at it");
    }

    @Test
    void bloomFiltersThatDoNotSayTheirLengthAreFoundAllTheSame() throws IOException {
        byte[] file = Samples.file(
                Samples.rows(6000, new Random(5)),
                new Shape(Shape.PLAIN.version(), 2000, 100, false, List.of("text"), Shape.PLAIN.codec()));
        byte[] old = Footers.rewrite(file, ParquetPlannerTest::withoutBloomLengths);
        assertTrue(
                run(plan(old, ALL_COLUMNS, NOWHERE, Samples.ALL, 0)).metadata().isPresent());
        assertSameRows(old, NOWHERE);
        assertSameRows(file, NOWHERE);
    }

    private static FileMetaData withoutBloomLengths(FileMetaData footer) {
        footer.getRow_groups()
                .forEach(group ->
                        group.getColumns().forEach(chunk -> chunk.getMeta_data().unsetBloom_filter_length()));
        return footer;
    }

    @Test
    void filesWithoutEncodingStatisticsAreJudgedByTheirEncodings() throws IOException {
        byte[] old = Footers.rewrite(bytes, footer -> {
            footer.getRow_groups()
                    .forEach(group -> group.getColumns()
                            .forEach(chunk -> chunk.getMeta_data().unsetEncoding_stats()));
            return footer;
        });
        assertSameRows(old, FilterApi.eq(FilterApi.longColumn("few"), 35L));
        assertSameRows(old, NOWHERE);
        assertSameRows(bytes, FilterApi.eq(FilterApi.longColumn("few"), 35L));
    }

    @Test
    void statisticsThatAreMissingRuleNothingOut() throws IOException {
        byte[] none = Footers.rewrite(bytes, footer -> {
            footer.getRow_groups()
                    .forEach(group -> group.getColumns()
                            .forEach(chunk -> chunk.getMeta_data().unsetStatistics()));
            return footer;
        });
        assertEquals(
                3,
                plan(none, ALL_COLUMNS, EARLY, new FilterLevels(true, false, false, false), 0)
                        .size());
        assertSameRows(none, EARLY);
    }

    @Test
    void aColumnThatIsNotInTheFileIsNull() throws IOException {
        FilterPredicate isNull = FilterApi.eq(FilterApi.intColumn("missing"), null);
        assertEquals(3, plan(bytes, ALL_COLUMNS, isNull, Samples.ALL, 0).size());
        FilterPredicate is7 = FilterApi.eq(FilterApi.intColumn("missing"), 7);
        assertEquals(0, plan(bytes, ALL_COLUMNS, is7, Samples.ALL, 0).size());
    }

    @Test
    void splitsShareTheRowGroupsAmongThem() throws IOException {
        ParquetFooter footer = Samples.footer(bytes);
        ParquetPlanner planner = new ParquetPlanner(Samples.needs(ALL_COLUMNS, null, Samples.ALL), 0);
        for (int cut = 0; cut <= bytes.length; cut += 997) {
            int before = planner.plan(footer, 0, cut, range -> new byte[0]).size();
            int after = planner.plan(footer, cut, bytes.length, range -> new byte[0])
                    .size();
            assertEquals(3, before + after, "cut at " + cut);
        }
    }

    @Test
    void plansTravel() throws Exception {
        RunPlan run = run(plan(bytes, ALL_COLUMNS, NOWHERE, Samples.ALL, 0));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(new PlannedRun(run));
        }
        PlannedRun copy;
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(out.toByteArray()))) {
            copy = (PlannedRun) objects.readObject();
        }
        assertEquals(run.file(), copy.file());
        assertEquals(run.jobs(), copy.run().jobs());
        assertEquals(run.metadata(), copy.run().metadata());
        assertEquals(run.viewLength(), copy.run().viewLength());
        assertEquals(run.bytes(), copy.bytes());
    }

    /** All rows as the plain reader without any filter but its own last one has them, and no byte missed. */
    private static void assertSameRows(byte[] file, FilterPredicate predicate) throws IOException {
        ScanFixture scan = new ScanFixture(Samples.needs(ALL_COLUMNS, predicate, Samples.ALL), ALL_COLUMNS);
        FileRef ref = scan.add("f", file);
        List<String> expected = Samples.read(
                new BytesFile(file), 0, file.length, Samples.needs(ALL_COLUMNS, predicate, Samples.NONE), ALL_COLUMNS);
        assertEquals(expected, scan.read(List.of(ScanFixture.whole(ref))));
        assertEquals(0, scan.counters.misses.sum());
    }
}
