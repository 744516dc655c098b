// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.fetch.Conditions;
import io.asyncscan.reader.fetch.MemorySource;
import io.asyncscan.reader.parquet.Samples.Shape;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ReadCancelledException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParquetTaskScanTest {
    private static final MessageType IDS = Samples.project(Set.of("id", "few"));

    private final ScanFixture scan = new ScanFixture(Samples.needs(IDS, null, Samples.ALL), IDS);

    private FileRef file(String name, int rows) throws IOException {
        return scan.add(name, Samples.file(Samples.rows(rows, new Random(rows)), Shape.PLAIN));
    }

    @Test
    void noUnitsNoRows() throws IOException {
        assertEquals(List.of(), scan.read(List.of()));
    }

    @Test
    void plannedRunsAndSplitsMix() throws IOException {
        FileRef a = file("a", 350);
        FileRef b = file("b", 120);
        FilePlan plan = scan.plan(a);
        assertEquals(4, plan.size());
        List<String> expected = new ArrayList<>(scan.plain(a, 0, a.length()));
        expected.addAll(scan.plain(b, 0, b.length()));
        List<ScanUnit> units = List.of(scan.planned(a, plan, 0, 1), scan.planned(a, plan, 1, 4), ScanFixture.whole(b));
        assertEquals(expected, scan.read(units));
        assertEquals(0, scan.counters.misses.sum());
    }

    @Test
    void manySmallFilesTakeOneRequestEach() throws IOException {
        List<ScanUnit> units = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            FileRef file = file("many-" + i, 90 + i % 5);
            units.add(ScanFixture.whole(file));
            expected.addAll(scan.plain(file, 0, file.length()));
        }
        assertEquals(expected, scan.read(units));
        assertEquals(60, scan.counters.requests.sum(), "the data comes with the footer");
        assertEquals(60, scan.source.reads().size());
        assertEquals(0, scan.counters.misses.sum());
        assertTrue(scan.counters.depthReached.get() >= 2, "files are fetched ahead");
    }

    @Test
    void aFileBeyondTheThresholdTakesAFooterAndDataRequests() throws IOException {
        FileRef file = file("large", 4000);
        assertTrue(file.length() > ParquetFooter.WHOLE_FILE, "length " + file.length());
        assertEquals(scan.plain(file, 0, file.length()), scan.read(List.of(ScanFixture.whole(file))));
        assertTrue(scan.counters.requests.sum() >= 2);
        assertEquals(0, scan.counters.misses.sum());
    }

    @Test
    void footersComeAheadOfTheFileBeingRead() throws IOException {
        FileRef first = file("first", 2000);
        List<ScanUnit> units = new ArrayList<>(List.of(ScanFixture.whole(first)));
        for (int i = 0; i < 8; i++) {
            units.add(ScanFixture.whole(file("next-" + i, 50)));
        }
        try (ParquetTaskScan task = new ParquetTaskScan(units, scan, scan.needs())) {
            TaskScan.Step step = task.next().orElseThrow();
            assertEquals(0, step.index());
            Conditions.holds(
                    () -> scan.source.reads().stream()
                            .anyMatch(read -> read.tail() && !read.path().equals(first.path())),
                    "no other footer is on its way");
            task.topUp();
        }
        scan.end();
    }

    @Test
    void rowGroupsThatAreRuledOutAreNotFetched() throws IOException {
        FilterPredicate predicate = FilterApi.eq(FilterApi.intColumn("id"), 150 * 2);
        ScanFixture filtered = new ScanFixture(Samples.needs(IDS, predicate, Samples.ALL), IDS);
        FileRef file = filtered.add("f", Samples.file(Samples.rows(1000, new Random(3)), Shape.PLAIN));
        List<String> expected = filtered.plain(file, 0, file.length());
        assertEquals(1, expected.size());
        assertEquals(expected, filtered.read(List.of(ScanFixture.whole(file))));
        assertEquals(9, filtered.counters.rowGroupsPruned.sum());
        assertEquals(0, filtered.counters.misses.sum());
    }

    @Test
    void bloomFiltersSaveTheData() throws IOException {
        MessageType texts = Samples.project(Set.of("id", "few", "text", "real", "nest", "list"));
        FilterPredicate predicate = FilterApi.eq(FilterApi.binaryColumn("text"), Binary.fromString("text-2xx"));
        ScanFixture filtered = new ScanFixture(Samples.needs(texts, predicate, Samples.ALL), texts);
        Shape shape = new Shape(Shape.PLAIN.version(), 2000, 100, false, List.of("text"), Shape.PLAIN.codec());
        byte[] bytes = Samples.file(Samples.rows(6000, new Random(5)), shape);
        FileRef file = filtered.add("f", bytes);
        List<ScanUnit> units = List.of(ScanFixture.whole(file));
        assertEquals(List.of(), filtered.read(units));
        assertEquals(0, filtered.counters.misses.sum());
        assertEquals(3, filtered.counters.rowGroupsPruned.sum(), "before the reader starts");
        long fetched = filtered.counters.bytesFetched.sum();
        assertTrue(fetched < bytes.length / 2, fetched + " of " + bytes.length);
    }

    @Test
    void theReaderMayLookAtDictionariesOfAFileThatIsAtHand() throws IOException {
        FilterPredicate absent = FilterApi.eq(FilterApi.longColumn("few"), 35L);
        assertEquals(0, groupsShownToAnEagerFilter(absent), "dictionaries rule them all out");
        FilterPredicate range = FilterApi.and(
                FilterApi.gt(FilterApi.longColumn("few"), 31L), FilterApi.lt(FilterApi.longColumn("few"), 39L));
        assertEquals(3, groupsShownToAnEagerFilter(range), "a range is not looked up in dictionaries");
    }

    /** How many row groups of a small file are left when the reader has looked at what it is shown. */
    private static int groupsShownToAnEagerFilter(FilterPredicate predicate) throws IOException {
        ParquetNeeds needs = Samples.needs(IDS, predicate, Samples.ALL);
        ScanFixture filtered = new ScanFixture(needs, IDS);
        filtered.requestCost = Long.MAX_VALUE; // no look pays that takes a request
        FileRef file = filtered.add("f", Samples.file(Samples.rows(300, new Random(3)), Shape.PLAIN));
        int left;
        try (ParquetTaskScan task = new ParquetTaskScan(List.of(ScanFixture.whole(file)), filtered, needs)) {
            TaskScan.Step step = task.next().orElseThrow();
            left = RunPruner.survivors(step.view().orElseThrow(), predicate, Samples.ALL)
                    .size();
        }
        filtered.end();
        assertEquals(1, filtered.counters.requests.sum());
        assertEquals(0, filtered.counters.misses.sum());
        return left;
    }

    @Test
    void anErrorInTheMiddleComesAtItsUnitOnly() throws IOException {
        FileRef good = file("good", 300);
        FileRef bad = file("bad", 300);
        FileRef last = file("last", 300);
        IOException failure = new IOException("the store lost it");
        scan.source.onRead((read, scope) -> {
            if (read.path().equals(bad.path())) {
                throw failure;
            }
        });
        assertEquals(
                failure,
                failsAtTheSecond(List.of(ScanFixture.whole(good), ScanFixture.whole(bad), ScanFixture.whole(last))));
    }

    @Test
    void aFileSystemThatCannotBeHadIsAnErrorOfItsUnitOnly() throws IOException {
        FileRef good = file("good", 300);
        FileRef bad = FileRef.listed("mem://no-such-store/file", 1000, 1);
        FileRef last = file("last", 300);
        IOException failure =
                failsAtTheSecond(List.of(ScanFixture.whole(good), ScanFixture.whole(bad), ScanFixture.whole(last)));
        assertTrue(failure.getMessage().contains("no file system"), failure.getMessage());
    }

    @Test
    void aRunWhoseFileSystemCannotBeHadIsAnErrorOfItsUnitOnly() throws IOException {
        FileRef good = file("good", 300);
        FileRef last = file("last", 300);
        byte[] bytes = Samples.file(Samples.rows(100, new Random(1)), Shape.PLAIN);
        FileRef bad = FileRef.listed("mem://no-such-store/file", bytes.length, 1);
        ParquetFooter footer = Samples.footer(bytes);
        FilePlan plan = new ParquetPlanner(scan.needs(), 0)
                .plan(
                        new ParquetFooter(bad, footer.thrift(), footer.metadata(), footer.offset(), footer.tail()),
                        0,
                        Long.MAX_VALUE,
                        range -> new byte[0]);
        failsAtTheSecond(List.of(ScanFixture.whole(good), scan.planned(bad, plan, 0, 1), ScanFixture.whole(last)));
    }

    @Test
    void aLongFooterThatCannotBeReadIsAnErrorOfItsUnitOnly() throws IOException {
        FileRef good = file("good", 300);
        byte[] wide = wideFile();
        FileRef bad = scan.add("wide", wide);
        FileRef last = file("last", 300);
        IOException failure = new IOException("not twice");
        List<MemorySource.Read> seen = new ArrayList<>();
        scan.source.onRead((read, scope) -> {
            if (read.path().equals(bad.path())) {
                synchronized (seen) {
                    seen.add(read);
                    if (seen.size() > 1) {
                        throw failure;
                    }
                }
            }
        });
        assertSame(
                failure,
                failsAtTheSecond(List.of(ScanFixture.whole(good), ScanFixture.whole(bad), ScanFixture.whole(last))));
    }

    /** Reads three units, the second of which fails and is skipped, as Spark does if it is told to. */
    private IOException failsAtTheSecond(List<ScanUnit> units) throws IOException {
        IOException failure = null;
        try (ParquetTaskScan task = new ParquetTaskScan(units, scan, scan.needs())) {
            TaskScan.Step first = task.next().orElseThrow();
            assertEquals(300, scan.read(task, first, units).size());
            try {
                TaskScan.Step second = task.next().orElseThrow();
                assertEquals(1, second.index());
                scan.read(task, second, units);
            } catch (IOException e) {
                failure = e;
            }
            task.leave();
            TaskScan.Step third = task.next().orElseThrow();
            assertEquals(2, third.index());
            assertEquals(300, scan.read(task, third, units).size());
            assertEquals(Optional.empty(), task.next());
        }
        scan.end();
        assertTrue(failure != null, "the second unit did not fail");
        return failure;
    }

    @Test
    void aFooterLongerThanTheGuessTakesOneMoreRequest() throws IOException {
        byte[] bytes = wideFile();
        FileRef file = scan.add("wide", bytes);
        assertTrue(bytes.length - Samples.footer(bytes).offset() > ParquetFooter.firstGuess(bytes.length));
        assertEquals(scan.plain(file, 0, file.length()), scan.read(List.of(ScanFixture.whole(file))));
        assertEquals(
                2, scan.source.reads().stream().filter(MemorySource.Read::tail).count());
        assertEquals(0, scan.counters.misses.sum());
    }

    private static byte[] wideFile() throws IOException {
        // 300 row groups of one row: nearly all of it is footer.
        Shape shape = new Shape(Shape.PLAIN.version(), 1, 20, true, List.of(), Shape.PLAIN.codec());
        return Samples.file(Samples.rows(300, new Random(2)), shape);
    }

    @Test
    void whatCannotBePlannedIsShownToTheReaderAsItIs() throws IOException {
        FileRef good = file("good", 300);
        FileRef junk = scan.add("junk", new byte[2000]);
        FileRef empty = scan.add("empty", new byte[0]);
        List<ScanUnit> units = List.of(ScanFixture.whole(junk), ScanFixture.whole(empty), ScanFixture.whole(good));
        try (ParquetTaskScan task = new ParquetTaskScan(units, scan, scan.needs())) {
            assertTrue(task.next().orElseThrow().view().isEmpty());
            TaskScan.Step step = task.next().orElseThrow();
            assertTrue(step.view().isEmpty());
            assertEquals(0, step.length());
            assertEquals(300, scan.read(task, task.next().orElseThrow(), units).size());
        }
        scan.end();
    }

    @Test
    void aPlannerThatFailsLeavesTheFileToTheReader() throws IOException {
        // Row groups that do not lie in the order of the footer: a split of it may hold the first and the last only.
        byte[] bytes = Samples.file(Samples.rows(300, new Random(4)), Shape.PLAIN);
        byte[] shuffled = Footers.rewrite(bytes, footer -> {
            java.util.Collections.swap(footer.getRow_groups(), 1, 2);
            return footer;
        });
        FileRef file = scan.add("shuffled", shuffled);
        long third = Samples.footer(bytes).metadata().getBlocks().get(2).getStartingPos();
        List<ScanUnit> units = List.of(new FileSplit(file, 0, third), new FileSplit(file, third, file.length()));
        List<String> expected = new ArrayList<>(scan.plain(file, 0, third));
        expected.addAll(scan.plain(file, third, file.length()));
        assertEquals(expected, scan.read(units));
    }

    @Test
    void emptyRowGroupsInTheMiddleAreSkipped() throws IOException {
        byte[] bytes = Samples.file(Samples.rows(300, new Random(4)), Shape.PLAIN);
        byte[] holed = Footers.rewrite(bytes, footer -> {
            footer.getRow_groups().get(1).setNum_rows(0);
            footer.getRow_groups()
                    .get(1)
                    .getColumns()
                    .forEach(chunk -> chunk.getMeta_data().setNum_values(0));
            return footer;
        });
        FileRef file = scan.add("holed", holed);
        assertEquals(2, scan.plan(file).size());
        assertEquals(200, scan.read(List.of(ScanFixture.whole(file))).size());
    }

    @Test
    void aFileWithoutRowsAndAScanWithoutColumns() throws IOException {
        FileRef none = file("none", 0);
        assertEquals(List.of(), scan.read(List.of(ScanFixture.whole(none))));
        MessageType nothing = Samples.project(Set.of());
        ScanFixture counting = new ScanFixture(Samples.needs(nothing, null, Samples.ALL), nothing);
        byte[] bytes = Samples.file(Samples.rows(250, new Random(6)), Shape.PLAIN);
        FileRef file = counting.add("f", bytes);
        assertEquals(3, counting.plan(file).size());
        assertEquals(0, counting.plan(file).bytes(0));
        List<String> rows = counting.read(List.of(ScanFixture.whole(file)));
        assertEquals(250, rows.size());
        assertEquals(1, counting.counters.requests.sum(), "the footer is all it takes");
    }

    @Test
    void memoryPressureAtAnyTimeCostsOnlyTime() throws IOException {
        List<ScanUnit> units = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            FileRef file = file("p-" + i, 400);
            expected.addAll(scan.plain(file, 0, file.length()));
            units.add(i % 2 == 0 ? ScanFixture.whole(file) : scan.planned(file, scan.plan(file), 0, 4));
        }
        Random random = new Random(9);
        List<String> rows = new ArrayList<>();
        try (ParquetTaskScan task = new ParquetTaskScan(units, scan, scan.needs())) {
            scan.memory.onAcquire(() -> {
                if (random.nextInt(3) == 0) {
                    task.giveBack(random.nextInt(5000));
                }
            });
            Optional<TaskScan.Step> step = task.next();
            while (step.isPresent()) {
                task.giveBack(random.nextInt(5000));
                rows.addAll(scan.read(task, step.get(), units));
                task.giveBack(random.nextInt(5000));
                step = task.next();
            }
        }
        assertEquals(expected, rows);
        assertEquals(0, scan.counters.misses.sum());
        assertTrue(scan.counters.jobsDropped.sum() > 0);
        scan.end();
    }

    @Test
    void closingAtAnyPointGivesEverythingBack() throws IOException {
        for (int stop = 0; stop < 5; stop++) {
            ScanFixture own = new ScanFixture(Samples.needs(IDS, null, Samples.ALL), IDS);
            List<ScanUnit> units = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                byte[] bytes = Samples.file(Samples.rows(300, new Random(i)), Shape.PLAIN);
                units.add(ScanFixture.whole(own.add("c-" + i, bytes)));
            }
            ParquetTaskScan task = new ParquetTaskScan(units, own, own.needs());
            for (int i = 0; i < stop && i < 4; i++) {
                own.read(task, task.next().orElseThrow(), units);
            }
            task.topUp();
            task.close();
            task.close();
            own.end();
        }
    }

    @Test
    void nothingIsReadAfterTheScanWasClosed() throws IOException {
        FileRef file = file("f", 300);
        ParquetTaskScan task = new ParquetTaskScan(List.of(ScanFixture.whole(file)), scan, scan.needs());
        TaskScan.Step step = task.next().orElseThrow();
        task.close();
        assertThrows(IOException.class, () -> scan.read(task, step, List.of()));
        scan.end();
        ParquetTaskScan other = new ParquetTaskScan(List.of(ScanFixture.whole(file)), scan, scan.needs());
        other.close();
        assertThrows(ReadCancelledException.class, other::next);
    }
}
