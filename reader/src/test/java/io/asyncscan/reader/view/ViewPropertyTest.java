// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever is read, in whatever order and way, is what an array of the same bytes would give. */
@Timeout(60)
class ViewPropertyTest {
    @Test
    void everyReadIsRight() throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            int size = 200 + random.nextInt(2000);
            ViewFixture fixture = new ViewFixture(size);
            List<Integer> edges = new ArrayList<>(List.of(0, size));
            int at = random.nextInt(20);
            if (random.nextBoolean()) {
                fixture.fixed(at, 5);
                edges.add(at);
                at += 5;
            }
            if (random.nextBoolean()) {
                fixture.metadata(new ByteRange(at, 9));
                edges.addAll(List.of(at, at + 9));
                at += 9;
            }
            while (at < size - 60) {
                List<ByteRange> ranges = new ArrayList<>();
                for (int i = 1 + random.nextInt(3); i > 0 && at < size - 60; i--) {
                    int length = 1 + random.nextInt(50);
                    ranges.add(new ByteRange(at, length));
                    edges.addAll(List.of(at, at + length));
                    at += length + (random.nextBoolean() ? 0 : random.nextInt(30));
                }
                fixture.job(ranges.toArray(new ByteRange[0]));
            }
            int footer = Math.max(at, size - 30);
            byte[] trimmed = new byte[random.nextInt(20)];
            random.nextBytes(trimmed);
            fixture.footer(footer, trimmed);
            edges.addAll(List.of(footer, footer + trimmed.length));
            FileView view = fixture.build();
            try (FSDataInputStream in = view.open()) {
                boolean forward = random.nextBoolean();
                long last = 0;
                for (int i = 0; i < 60; i++) {
                    int length = Math.toIntExact(view.length());
                    int offset = Math.min(length, Math.max(0, pick(edges, random) + random.nextInt(3) - 1));
                    if (forward) {
                        offset = Math.toIntExact(Math.max(last, Math.min(length, last + random.nextInt(60))));
                    }
                    last = offset;
                    int count = Math.max(0, Math.min(length, pick(edges, random) + random.nextInt(3) - 1) - offset);
                    if (random.nextBoolean()) {
                        count = Math.min(length - offset, random.nextInt(80));
                    }
                    byte[] expected = fixture.range(offset, count);
                    assertArrayEquals(expected, read(in, offset, count, random), "seed " + seed + " step " + i);
                    if (random.nextInt(10) == 0) {
                        fixture.queue().giveBack(random.nextInt(200));
                    }
                    if (random.nextInt(5) == 0) {
                        fixture.queue().topUp();
                    }
                }
            }
            fixture.close();
        }
    }

    @Test
    void aReaderThatFollowsThePlanMissesNothing() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ViewFixture fixture = new ViewFixture(3000);
            List<List<ByteRange>> jobs = new ArrayList<>();
            int at = 0;
            while (at < 2500) {
                List<ByteRange> ranges = new ArrayList<>();
                for (int i = 1 + random.nextInt(4); i > 0; i--) {
                    ranges.add(new ByteRange(at, 1 + random.nextInt(60)));
                    at += 60 + random.nextInt(20);
                }
                jobs.add(ranges);
                fixture.job(ranges.toArray(new ByteRange[0]));
            }
            FileView view = fixture.build();
            long wanted = 0;
            try (FSDataInputStream in = view.open()) {
                for (List<ByteRange> ranges : jobs) {
                    for (ByteRange range : ranges) {
                        wanted += range.length();
                        int from = Math.toIntExact(range.offset());
                        int count = Math.toIntExact(range.length());
                        assertArrayEquals(fixture.range(from, count), read(in, from, count, random), "seed " + seed);
                    }
                }
            }
            assertEquals(0, fixture.misses(), "seed " + seed);
            long fetched = fixture.source().reads().stream()
                    .mapToLong(read -> read.range().length())
                    .sum();
            assertEquals(wanted, fetched, "seed " + seed + ": each byte once");
            fixture.close();
        }
    }

    private static int pick(List<Integer> edges, Random random) {
        return edges.get(random.nextInt(edges.size()));
    }

    /** Reads in one of the ways streams can be read. */
    private static byte[] read(FSDataInputStream in, int offset, int count, Random random) throws IOException {
        byte[] got = new byte[count];
        switch (random.nextInt(6)) {
            case 0 -> in.readFully(offset, got, 0, count);
            case 1 -> {
                in.seek(offset);
                in.readFully(got);
                assertEquals(offset + count, in.getPos());
            }
            case 2 -> {
                in.seek(offset);
                for (int i = 0; i < count; i++) {
                    got[i] = (byte) in.read();
                }
            }
            case 3 -> readBuffer(in, offset, ByteBuffer.allocate(count + 3), got);
            case 4 -> readBuffer(in, offset, ByteBuffer.allocateDirect(count + 3), got);
            default -> {
                int cut = count == 0 ? 0 : random.nextInt(count);
                List<FileRange> ranges = List.of(
                        FileRange.createFileRange(offset, cut), FileRange.createFileRange(offset + cut, count - cut));
                in.readVectored(ranges, random.nextBoolean() ? ByteBuffer::allocate : ByteBuffer::allocateDirect);
                int at = 0;
                for (FileRange range : ranges) {
                    ByteBuffer data = range.getData().join();
                    assertEquals(range.getLength(), data.remaining());
                    data.get(got, at, range.getLength());
                    at += range.getLength();
                }
            }
        }
        return got;
    }

    private static void readBuffer(FSDataInputStream in, int offset, ByteBuffer buffer, byte[] got) throws IOException {
        in.seek(offset);
        buffer.position(2);
        buffer.limit(2 + got.length);
        while (buffer.hasRemaining()) {
            int before = buffer.position();
            int count = in.read(buffer);
            assertTrue(count > 0, "no progress");
            assertEquals(before + count, buffer.position());
        }
        buffer.flip();
        buffer.position(2);
        buffer.get(got);
        assertEquals(offset + got.length, in.getPos());
    }
}
