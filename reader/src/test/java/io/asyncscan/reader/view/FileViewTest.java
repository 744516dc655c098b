// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.fetch.Segment;
import io.asyncscan.reader.storage.ByteRange;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FileViewTest {
    /** Bytes 0-9 in memory, jobs at 100-199, 200-299 (two buffers) and 400-449, a footer from 900 on. */
    private final ViewFixture fixture = new ViewFixture(1000);

    private final FileView view = fixture.fixed(0, 10)
            .metadata(new ByteRange(50, 20))
            .job(new ByteRange(100, 100))
            .job(new ByteRange(200, 50), new ByteRange(260, 40))
            .job(new ByteRange(400, 50))
            .footer(900, new byte[] {1, 2, 3, 4, 5})
            .build();

    @AfterEach
    void everythingIsGivenBack() {
        fixture.close();
    }

    @Test
    void isAsLongAsItsFooterSays() throws IOException {
        assertEquals(905, view.length());
        try (FSDataInputStream in = view.open()) {
            assertEquals(905, in.available());
            in.seek(905);
            assertEquals(-1, in.read());
            assertEquals(-1, in.read(new byte[4], 0, 4));
            assertEquals(0, in.read(new byte[4], 0, 0));
            assertThrows(EOFException.class, () -> in.seek(906));
            assertThrows(EOFException.class, () -> in.seek(-1));
            assertThrows(EOFException.class, () -> in.readFully(903, new byte[3]));
            assertEquals(-1, in.read(905, new byte[1], 0, 1));
        }
        assertEquals(0, fixture.misses());
    }

    @Test
    void slicesShareTheFetchedMemory() throws IOException {
        ByteBuffer slice = view.slice(110, 20);
        assertEquals(20, slice.remaining());
        byte[] fetched = fixture.job(0).fetch().segments().get(0).bytes();
        assertEquals(fixture.at(110), slice.get(slice.position()));
        fetched[10]++;
        assertEquals(fetched[10], slice.get(slice.position()), "a copy would not see it");
        // As Spark's decoder of DELTA_BYTE_ARRAY looks at it.
        assertEquals(0, slice.arrayOffset());
        assertEquals(fetched[10], slice.array()[slice.position()]);
        assertEquals(0, fixture.misses());
        assertNull(view.slice(190, 20), "across two jobs");
        assertNull(view.slice(500, 1), "not planned");
        assertEquals(0, fixture.misses(), "only a read is a miss");
    }

    @Test
    void vectoredReadsCopyOnlyWhatIsNotThere() throws IOException {
        List<FileRange> ranges = List.of(
                FileRange.createFileRange(0, 10),
                FileRange.createFileRange(100, 100),
                FileRange.createFileRange(190, 80),
                FileRange.createFileRange(400, 0));
        List<Integer> allocated = new ArrayList<>();
        try (FSDataInputStream in = view.open()) {
            assertTrue(in.hasCapability(StreamCapabilities.VECTOREDIO));
            in.readVectored(ranges, length -> {
                allocated.add(length);
                return ByteBuffer.allocateDirect(length);
            });
        }
        for (FileRange range : ranges) {
            ByteBuffer data = range.getData().join();
            assertEquals(range.getLength(), data.remaining());
            byte[] got = new byte[data.remaining()];
            data.get(got);
            assertArrayEquals(fixture.range(range.getOffset(), range.getLength()), got);
        }
        assertEquals(80, allocated.get(0));
        assertEquals(1, fixture.misses(), "the gap at 250");
    }

    @Test
    void vectoredReadsPastTheEndAreRefusedBeforeAnythingIsRead() throws IOException {
        try (FSDataInputStream in = view.open()) {
            FileRange good = FileRange.createFileRange(100, 10);
            FileRange bad = FileRange.createFileRange(900, 6);
            assertThrows(EOFException.class, () -> in.readVectored(List.of(good, bad), ByteBuffer::allocate));
            assertNull(good.getData());
        }
        assertEquals(List.of(), fixture.source().reads());
    }

    @Test
    void theFirstTouchClaimsAJobAndGivesUpTheOnesBefore() throws IOException {
        fixture.queue().topUp();
        view.slice(55, 5);
        assertNotNull(fixture.metadataJob().fetch());
        view.slice(200, 10);
        assertNull(fixture.metadataJob().fetch(), "filters have done their work");
        assertNull(fixture.job(0).fetch());
        assertFalse(fixture.job(0).isWaiting());
        assertNotNull(fixture.job(1).fetch());
        view.slice(430, 10);
        assertNull(fixture.job(1).fetch());
        assertEquals(0, fixture.misses());
    }

    @Test
    void goingBackIsAMissAndRightAllTheSame() throws IOException {
        view.slice(400, 50);
        try (FSDataInputStream in = view.open()) {
            byte[] got = new byte[30];
            in.readFully(120, got);
            assertArrayEquals(fixture.range(120, 30), got);
            assertEquals(1, fixture.misses());
            in.readFully(55, got);
            assertArrayEquals(fixture.range(55, 30), got);
            assertEquals(2, fixture.misses());
        }
    }

    @Test
    void aMissIsKeptForTheReadsThatFollowIt() throws IOException {
        try (FSDataInputStream in = view.open()) {
            byte[] got = new byte[40];
            in.readFully(500, got);
            for (int i = 0; i < 40; i++) {
                in.seek(500 + i);
                assertEquals(fixture.at(500 + i) & 0xff, in.read());
            }
            assertEquals(1, fixture.misses());
        }
    }

    @Test
    void aMissEndsWhereSomethingIsKnown() throws IOException {
        try (FSDataInputStream in = view.open()) {
            byte[] got = new byte[25];
            in.readFully(880, got);
            assertArrayEquals(fixture.range(880, 25), got, "the footer is the view's, not the file's");
            byte[] all = new byte[905];
            in.readFully(0, all);
            assertArrayEquals(fixture.range(0, 905), all);
        }
        long missed = fixture.source().reads().stream()
                .filter(read -> fixture.isNotPlanned(read.range()))
                .mapToLong(read -> read.range().length())
                .sum();
        assertEquals(905 - 10 - 20 - 240 - 5 + 20, missed, "only bytes that nobody has, once per pass");
    }

    @Test
    void closingAStreamLeavesTheViewOpen() throws IOException {
        FSDataInputStream first = view.open();
        first.readFully(100, new byte[10]);
        first.close();
        assertThrows(IOException.class, first::read);
        assertThrows(IOException.class, () -> first.seek(1));
        try (FSDataInputStream second = view.open()) {
            second.readFully(110, new byte[10]);
        }
        long fetches = fixture.source().reads().stream()
                .filter(read -> read.range().offset() == 100)
                .count();
        assertEquals(1, fetches);
    }

    @Test
    void aClosedViewGivesNothing() throws IOException {
        FSDataInputStream in = view.open();
        in.readFully(100, new byte[10]);
        view.close();
        view.close();
        assertThrows(IOException.class, () -> in.readFully(100, new byte[10]));
        assertThrows(IOException.class, () -> view.slice(0, 1));
        assertEquals(0, fixture.held());
    }

    @Test
    void aFailedJobIsAnErrorOfTheReadAndMayBeReadAgain() throws IOException {
        IOException failure = new IOException("the store is gone");
        fixture.source().onRead((read, scope) -> {
            throw failure;
        });
        try (FSDataInputStream in = view.open()) {
            assertSame(failure, assertThrows(IOException.class, () -> in.readFully(100, new byte[10])));
            FileRange range = FileRange.createFileRange(100, 10);
            assertThrows(IOException.class, () -> in.readVectored(List.of(range), ByteBuffer::allocate));
            assertNull(range.getData(), "delivered once or not at all");
            fixture.source().onRead((read, scope) -> {});
            byte[] got = new byte[10];
            in.readFully(100, got);
            assertArrayEquals(fixture.range(100, 10), got);
        }
    }

    @Test
    void openingAFileOfWhichNothingIsKnownMeetsItsFirstError() throws IOException {
        ViewFixture unknown = new ViewFixture(300);
        FileView lines = unknown.job(new ByteRange(100, 100))
                .job(new ByteRange(200, 100))
                .build();
        FileNotFoundException gone = new FileNotFoundException("gone");
        // Only the first job fails: the second is read ahead, and an error it had met would stay with it.
        unknown.source().onRead((read, scope) -> {
            if (read.range().offset() < 200) {
                throw gone;
            }
        });
        assertSame(gone, assertThrows(FileNotFoundException.class, lines::open));
        unknown.source().onRead((read, scope) -> {});
        try (FSDataInputStream in = lines.open()) {
            in.seek(250);
            assertEquals(unknown.at(250), (byte) in.read());
            // A second stream must not take the view back to its beginning.
            try (FSDataInputStream again = lines.open()) {
                again.seek(251);
                assertEquals(unknown.at(251), (byte) again.read());
            }
        }
        assertEquals(0, unknown.misses());
        unknown.close();
        assertEquals(0, unknown.held());
    }

    @Test
    void aJobThatWasGivenBackIsFetchedAgain() throws IOException {
        fixture.queue().topUp();
        fixture.queue().giveBack(Long.MAX_VALUE);
        byte[] got = new byte[100];
        try (FSDataInputStream in = view.open()) {
            in.readFully(100, got);
        }
        assertArrayEquals(fixture.range(100, 100), got);
        assertEquals(0, fixture.misses());
    }

    @Test
    void fixedBytesAreServedWhileJobsAreDecoded() throws IOException {
        view.slice(400, 50);
        assertArrayEquals(
                Arrays.copyOf(fixture.range(0, 10), 10),
                copy(view.slice(0, 10)),
                "page indexes are read row group by row group");
        assertEquals(0, fixture.misses());
    }

    @Test
    void segmentsKnowWhereTheyLie() {
        Segment segment = Segment.of(7, new byte[3]);
        assertEquals(7, segment.offset());
        assertEquals(3, segment.length());
        assertEquals(10, segment.end());
    }

    @Test
    void jobsAreCutWhenTheReaderGetsThere() throws IOException {
        ViewFixture growing = new ViewFixture(100);
        List<ByteRange> uncut = new ArrayList<>(
                List.of(new ByteRange(10, 20), new ByteRange(30, 20), new ByteRange(50, 20), new ByteRange(70, 20)));
        FileView grown = growing.build(new JobRow(() -> uncut.isEmpty()
                ? List.of()
                : List.of(growing.job(uncut.remove(0)).lastJob())));
        try (FSDataInputStream in = grown.open()) {
            assertEquals(3, uncut.size(), "the first one, to see whether the file is there");
            assertEquals(growing.at(29), read(in, 29));
            assertEquals(3, uncut.size());
            assertEquals(growing.at(50), read(in, 50));
            assertEquals(1, uncut.size(), "up to where the reader is");
            assertEquals(0, growing.misses());
            assertEquals(growing.at(5), read(in, 5));
            assertEquals(1, growing.misses(), "before all jobs");
            assertEquals(1, uncut.size(), "and cuts none");
            assertEquals(growing.at(95), read(in, 95));
            assertEquals(0, uncut.size());
            assertEquals(2, growing.misses(), "behind all jobs");
        } finally {
            growing.close();
        }
    }

    private static byte[] copy(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte read(FSDataInputStream in, long position) throws IOException {
        in.seek(position);
        return (byte) in.read();
    }
}
