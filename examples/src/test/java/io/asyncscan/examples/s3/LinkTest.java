// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Shaping against a clock that only sleeping moves. */
class LinkTest {
    private static final class FakeTicker implements Ticker {
        private long now = 1_000_000_000;

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void sleep(long nanos) {
            now += Math.max(nanos, 0);
        }

        double secondsSince(long start) {
            return (double) (now - start) / 1e9;
        }
    }

    private final FakeTicker ticker = new FakeTicker();

    @Test
    void everyRequestWaitsForItsFirstByte() throws IOException {
        Link link = new Link(Shape.S3, ticker);
        long start = ticker.nanos();
        link.get();
        link.head();
        link.list();
        assertEquals(0.09, ticker.secondsSince(start), 1e-9);
        Traffic.Snapshot traffic = link.traffic().snapshot();
        assertEquals(1, traffic.gets());
        assertEquals(1, traffic.heads());
        assertEquals(1, traffic.lists());
    }

    @Test
    void aConnectionHasItsBandwidth() throws IOException {
        Link link = new Link(Shape.S3, ticker);
        byte[] content = new byte[6_000_000];
        content[5_999_999] = 7;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long start = ticker.nanos();
        try (PacedStream stream = new PacedStream(new ByteArrayInputStream(content), link.newBody())) {
            assertEquals(content.length, stream.transferTo(out));
        }
        assertArrayEquals(content, out.toByteArray());
        // 6 MB at 60 MB/s; at most the two milliseconds of catch-up may be missing.
        assertEquals(0.1, ticker.secondsSince(start), 0.0021);
        Traffic.Snapshot traffic = link.traffic().snapshot();
        assertEquals(content.length, traffic.bytes());
        assertEquals(content.length, Arrays.stream(traffic.bytesPerBucket()).sum());
        assertEquals(3e6, (double) traffic.bytesPerBucket()[0], 150e3, "smooth over time");
    }

    @Test
    void allConnectionsShareTheTotal() throws IOException {
        // One thread plays ten connections by turns; each may have what its turn needs, the sum is what binds.
        Link link = new Link(Shape.ofMegabytes(Duration.ZERO, 0, 150), ticker);
        Link.Body[] bodies = new Link.Body[10];
        Arrays.setAll(bodies, i -> link.newBody());
        long start = ticker.nanos();
        for (int round = 0; round < 30; round++) {
            for (Link.Body body : bodies) {
                body.send(50_000);
            }
        }
        assertEquals(0.1, ticker.secondsSince(start), 0.0021);
    }

    @Test
    void idleTimeIsNotSaved() throws IOException {
        Link link = new Link(Shape.ofMegabytes(Duration.ZERO, 0, 150), ticker);
        link.newBody().send(50_000);
        ticker.sleep(10_000_000_000L);
        long start = ticker.nanos();
        Link.Body body = link.newBody();
        for (int i = 0; i < 300; i++) {
            body.send(50_000);
        }
        assertEquals(0.1, ticker.secondsSince(start), 0.0021);
    }

    @Test
    void unshapedNeverWaits() throws IOException {
        Link link = new Link(Shape.UNSHAPED, ticker);
        long start = ticker.nanos();
        link.get();
        link.newBody().send(Integer.MAX_VALUE);
        assertEquals(start, ticker.nanos());
    }

    @Test
    void samplesFollowTheClockAndEndWithTheLastByte() throws IOException {
        Link link = new Link(Shape.UNSHAPED, ticker);
        link.newBody().send(10);
        ticker.sleep(120_000_000);
        link.newBody().send(20);
        assertArrayEquals(new long[] {10, 0, 20}, link.traffic().snapshot().bytesPerBucket());
        link.traffic().reset();
        assertEquals(0, link.traffic().snapshot().bytesPerBucket().length);
        ticker.sleep(3_600_000_000_000L);
        link.newBody().send(1);
        assertTrue(link.traffic().snapshot().bytesPerBucket().length <= 6_000);
    }

    @Test
    void describesItself() {
        assertEquals("30 ms to the first byte, 60 MB/s a connection, 150 MB/s in all", Shape.S3.describe());
        assertEquals("0 ms to the first byte, no limit a connection, no limit in all", Shape.UNSHAPED.describe());
        assertEquals(
                "5 ms to the first byte, 0.5 MB/s a connection, 1200 MB/s in all",
                Shape.ofMegabytes(Duration.ofMillis(5), 0.5, 1200).describe());
    }
}
