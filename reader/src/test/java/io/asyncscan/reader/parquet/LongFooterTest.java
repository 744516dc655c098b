// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.fetch.MemorySource;
import io.asyncscan.reader.parquet.Samples.Shape;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.storage.FileRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.parquet.schema.MessageType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Footers that do not come with the first request: their bytes are read-ahead memory like any other. */
@Timeout(60)
class LongFooterTest {
    private static final MessageType IDS = Samples.project(Set.of("id", "few"));

    private final ScanFixture scan = new ScanFixture(Samples.needs(IDS, null, Samples.ALL), IDS);

    /** Bytes held while the long footer of each file was read. */
    private final AtomicLong heldMeanwhile = new AtomicLong(-1);

    private byte[] wide;
    private long footer;

    @BeforeEach
    void wideFile() throws IOException {
        // Row groups of one row: nearly all of the file is footer.
        Shape shape = new Shape(Shape.PLAIN.version(), 1, 20, true, List.of(), Shape.PLAIN.codec());
        wide = Samples.file(Samples.rows(300, new Random(2)), shape);
        footer = wide.length - Samples.footer(wide).offset();
        assertTrue(footer > ParquetFooter.firstGuess(wide.length), "the footer comes with the first request");
        scan.source.onRead((read, scope) -> {
            if (read.tail() && read.range().length() == footer) {
                heldMeanwhile.set(scan.executor.inUse());
            }
        });
    }

    @Test
    void isChargedWhileThePlanIsMade() throws IOException {
        FileRef file = scan.add("wide", wide);
        assertEquals(scan.plain(file, 0, file.length()), scan.read(List.of(ScanFixture.whole(file))));
        assertTrue(heldMeanwhile.get() >= footer, heldMeanwhile + " bytes held while " + footer + " were read");
        assertTrue(scan.counters.peakBytes.get() >= footer, "the peak is that of the footer");
    }

    @Test
    void isReadInItsTurnWhereNothingIsFree() throws IOException {
        FileRef first = scan.add("first", Samples.file(Samples.rows(300, new Random(3)), Shape.PLAIN));
        FileRef second = scan.add("second", wide);
        FileRef third = scan.add("third", wide);
        List<ScanUnit> units = List.of(ScanFixture.whole(first), ScanFixture.whole(second), ScanFixture.whole(third));
        List<String> expected = new ArrayList<>(scan.plain(first, 0, first.length()));
        expected.addAll(scan.plain(second, 0, second.length()));
        expected.addAll(scan.plain(third, 0, third.length()));
        // Enough for the first request of each footer, not for a footer.
        scan.memory.resize(footer - 1);
        assertEquals(expected, scan.read(units));
        assertTrue(heldMeanwhile.get() >= footer, "charged, although there is no memory for it");
        long longReads = scan.source.reads().stream()
                .filter(read -> read.tail() && read.range().length() == footer)
                .map(MemorySource.Read::path)
                .count();
        assertEquals(2, longReads, "each footer once");
    }
}
