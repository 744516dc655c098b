// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.fetch.Conditions;
import io.asyncscan.reader.fetch.MemorySource;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.RangePolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LinesTaskScanTest {
    private final LineFixture scan = new LineFixture();

    @AfterEach
    void everythingIsGivenBack() {
        scan.end();
    }

    private static List<String> lines(int count, int longest, Random random) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(i + "é日x".repeat(random.nextInt(longest)));
        }
        return lines;
    }

    private static long bytesRead(List<MemorySource.Read> reads) {
        return reads.stream().mapToLong(read -> read.range().length()).sum();
    }

    @Test
    void noUnitsNoLines() throws IOException {
        assertEquals(List.of(), scan.read(List.of()));
        assertEquals(List.of(), scan.source.reads());
    }

    @Test
    void everyLineOnceForEverySizeOfSplitRequestAndBuffer() throws IOException {
        Random random = new Random(7);
        int name = 0;
        for (String ending : List.of("\n", "\r\n", "\r")) {
            List<String> lines = lines(9, 4, random);
            FileRef file = scan.add("sweep-" + name++, String.join(ending, lines));
            for (long split : new long[] {1, 2, 3, 5, 13, 64, file.length()}) {
                for (int request : new int[] {1, 7, 100_000}) {
                    for (int buffer : new int[] {1, 16, 4096}) {
                        scan.policy = new RangePolicy(request, 0, 0);
                        scan.buffer(buffer);
                        String what = "split " + split + ", request " + request + ", buffer " + buffer;
                        assertEquals(lines, scan.read(LineFixture.cut(file, split)), what);
                    }
                }
            }
        }
        assertEquals(0, scan.counters.misses.sum());
    }

    @Test
    void aSeparatorOfTwoBytesAcrossEveryEdge() throws IOException {
        scan.separator = "||".getBytes(StandardCharsets.UTF_8);
        List<String> lines = List.of("a", "", "b|c", "dddd", "|e");
        FileRef file = scan.add("separator", String.join("||", lines) + "||");
        scan.buffer(1);
        for (long split = 1; split <= file.length(); split++) {
            // What Hadoop's reader makes of it (it takes some lines twice) is what it makes of it in pieces.
            scan.policy = new RangePolicy(100_000, 0, 0);
            List<String> expected = scan.read(LineFixture.cut(file, split));
            scan.policy = new RangePolicy(1, 0, 0);
            assertEquals(expected, scan.read(LineFixture.cut(file, split)), "split " + split);
        }
        assertEquals(0, scan.counters.misses.sum());
    }

    @Test
    void everyByteIsFetchedOnceButForTheTail() throws IOException {
        byte[] bytes = String.join("\n", lines(20_000, 20, new Random(1))).getBytes(StandardCharsets.UTF_8);
        FileRef file = scan.add("once", bytes);
        scan.policy = new RangePolicy(50_000, 0, 0);
        long third = file.length() / 3;
        for (ScanUnit unit : LineFixture.cut(file, third)) {
            scan.source.forget();
            scan.read(List.of(unit));
            long tail = Math.min(SplitTails.LINE, file.length() - ((FileSplit) unit).to());
            // What of the tail nobody needed may not have been sent when the scan ended.
            long read = bytesRead(scan.source.reads());
            assertTrue(read >= unit.bytes() && read <= unit.bytes() + tail, read + " for " + unit);
            assertEquals(
                    scan.source.reads().size(),
                    scan.source.reads().stream().distinct().count(),
                    "nothing is fetched twice");
        }
        assertEquals(0, scan.counters.misses.sum());
    }

    @Test
    void aLineThatGoesOnIsFollowedInDoublingSteps() throws IOException {
        String longLine = "z".repeat(1_000_000);
        FileRef file = scan.add("long", "a\n" + longLine + "\nb\n" + "c\n".repeat(500_000));
        assertEquals(List.of("a", longLine), scan.read(List.of(new FileSplit(file, 0, 3))));
        // 3 bytes and a tail of 64 KiB, then 64, 128, 256 and 512 KiB: the line ends in the last.
        assertEquals(5, scan.source.reads().size(), scan.source.reads().toString());
        assertEquals(3 + (1 << 20), bytesRead(scan.source.reads()));
        assertEquals(1 << 20, scan.counters.bytesOverRead.sum());
        assertEquals(0, scan.counters.misses.sum());
        assertEquals(0, scan.counters.bytesNeverDecoded.sum());
    }

    @Test
    void manySmallFilesTakeOneRequestEachAndOverlap() throws IOException {
        List<ScanUnit> units = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            List<String> lines = lines(1 + i % 5, 9, new Random(i));
            expected.addAll(lines);
            FileRef file = scan.add("many-" + i, String.join("\n", lines));
            units.add(new FileSplit(file, 0, file.length()));
        }
        units.add(20, new FileSplit(scan.add("empty", ""), 0, 0));
        assertEquals(expected, scan.read(units));
        assertEquals(50, scan.source.reads().size());
        assertTrue(scan.counters.depthReached.get() >= 4, "files are fetched ahead");
    }

    @Test
    void theHeadIsThereWhicheverTheSplit() throws IOException {
        scan.readsHead = true;
        FileRef file = scan.add("head", "names\n" + "1\n".repeat(100_000));
        try (LinesTaskScan task = scan.open(List.of(new FileSplit(file, 70_000, 80_000)))) {
            TaskScan.Step step = task.next().orElseThrow();
            try (LineRecordReader reader = scan.reader(file, step)) {
                assertTrue(reader.nextKeyValue());
                byte[] head = new byte[6];
                step.view().orElseThrow().open().readFully(0, head);
                assertEquals("names\n", new String(head, StandardCharsets.UTF_8));
                assertTrue(reader.nextKeyValue());
            }
        }
        assertEquals(0, scan.counters.misses.sum());
        assertEquals(2, scan.source.reads().size());
    }

    @Test
    void withoutReadAheadOnlyWhatIsNeededIsFetched() throws IOException {
        scan.depth = 0;
        scan.policy = new RangePolicy(100, 0, 0);
        FileRef file = scan.add("off", "x\n".repeat(500));
        try (LinesTaskScan task = scan.open(List.of(new FileSplit(file, 0, file.length())))) {
            TaskScan.Step step = task.next().orElseThrow();
            assertEquals(0, scan.source.reads().size());
            scan.buffer(10);
            try (LineRecordReader reader = scan.reader(file, step)) {
                assertTrue(reader.nextKeyValue());
                assertEquals(1, scan.source.reads().size());
            }
        }
    }

    @Test
    void whatIsGivenBackIsFetchedAgain() throws IOException {
        scan.policy = new RangePolicy(1000, 0, 0);
        List<String> lines = lines(2000, 5, new Random(3));
        FileRef file = scan.add("pressure", String.join("\n", lines));
        List<String> read = new ArrayList<>();
        try (LinesTaskScan task = scan.open(LineFixture.cut(file, file.length() / 2))) {
            Optional<TaskScan.Step> step = task.next();
            while (step.isPresent()) {
                try (LineRecordReader reader = scan.reader(file, step.get())) {
                    while (reader.nextKeyValue()) {
                        read.add(reader.getCurrentValue().toString());
                        if (read.size() % 50 == 0) {
                            task.giveBack(Long.MAX_VALUE);
                        }
                        task.topUp();
                    }
                }
                step = task.next();
            }
        }
        assertEquals(lines, read);
        assertTrue(scan.counters.jobsDropped.sum() > 0);
        assertEquals(0, scan.counters.misses.sum());
    }

    @Test
    void theMemoryHeldIsTheReadAheadWhateverTheFile() throws IOException {
        scan.policy = new RangePolicy(10_000, 0, 0);
        scan.memory.resize(200_000);
        FileRef file = scan.add("memory", "0123456\n".repeat(500_000));
        assertEquals(
                500_000,
                scan.read(List.of(new FileSplit(file, 0, file.length()))).size());
        assertTrue(scan.counters.peakBytes.get() <= 200_000, "peak " + scan.counters.peakBytes.get());
        assertEquals(file.length(), bytesRead(scan.source.reads()));
    }

    @Test
    void requestsBecomeLongerWhereDecodingIsTheBottleneck() throws IOException {
        scan.memory.resize(64 << 20);
        FileRef file = scan.add("calm", "0123456\n".repeat(8 << 20));
        try (LinesTaskScan task = scan.open(List.of(new FileSplit(file, 0, file.length())))) {
            TaskScan.Step step = task.next().orElseThrow();
            try (LineRecordReader reader = scan.reader(file, step)) {
                for (int lines = 1; reader.nextKeyValue(); lines++) {
                    if (lines % (1 << 16) == 0) {
                        // As a decoder that takes its time: what is on its way comes meanwhile.
                        long asked = bytesRead(scan.source.reads());
                        Conditions.holds(() -> scan.counters.bytesFetched.sum() >= asked, "requests do not end");
                    }
                    task.topUp();
                }
            }
        }
        List<Long> lengths =
                scan.source.reads().stream().map(read -> read.range().length()).toList();
        long longest = Collections.max(lengths);
        assertTrue(longest > Ramp.LONG / 2 && longest < Ramp.LONG, lengths.toString());
        assertTrue(lengths.get(0) <= 1 << 20, "the reader waits for the first: " + lengths);
        assertEquals(file.length(), bytesRead(scan.source.reads()), "nothing twice");
        assertEquals(0, scan.counters.misses.sum());
    }

    @Test
    void anErrorBelongsToItsFile() throws IOException {
        FileRef good = scan.add("good", "a\nb\n");
        FileRef bad = scan.add("bad", "c\n");
        FileRef lost = FileRef.listed("mem://no-such-store/x", 10, 1);
        scan.source.onRead((read, scope) -> {
            if (read.path().endsWith("bad")) {
                throw new IOException("broken disk");
            }
        });
        List<ScanUnit> units = List.of(
                new FileSplit(good, 0, 4),
                new FileSplit(bad, 0, 2),
                new FileSplit(lost, 0, 10),
                new FileSplit(good, 0, 4));
        try (LinesTaskScan task = scan.open(units)) {
            for (int i = 0; i < 4; i++) {
                String outcome = outcome(task, units.get(i).file());
                assertEquals(
                        List.of("a", "broken disk", "no file system for mem://no-such-store/x", "a")
                                .get(i),
                        outcome);
            }
            assertTrue(task.next().isEmpty());
        }
    }

    private String outcome(LinesTaskScan task, FileRef file) {
        try {
            TaskScan.Step step = task.next().orElseThrow();
            try (LineRecordReader reader = scan.reader(file, step)) {
                return reader.nextKeyValue() ? reader.getCurrentValue().toString() : "";
            }
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    @Test
    void closingStopsWhatIsOnItsWay() throws IOException {
        scan.policy = new RangePolicy(1000, 0, 0);
        FileRef file = scan.add("closed", "x\n".repeat(50_000));
        LinesTaskScan task = scan.open(List.of(new FileSplit(file, 0, file.length())));
        TaskScan.Step step = task.next().orElseThrow();
        task.close();
        assertThrows(IOException.class, () -> scan.reader(file, step).nextKeyValue());
        Conditions.holds(() -> scan.executor.inUse() == 0, "bytes stayed charged");
    }
}
