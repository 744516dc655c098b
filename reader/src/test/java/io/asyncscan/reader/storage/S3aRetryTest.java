// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.Fault.Framing;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Retries and the S3 client together against a store that fails: what a scan sees. */
@Timeout(120)
class S3aRetryTest {
    private static final int LENGTH = 100_000;
    private static final RetryPolicy POLICY =
            new RetryPolicy(8, Duration.ofMillis(1), Duration.ofMillis(8), Duration.ofMillis(500));

    private S3aFixture s3;
    private ByteSource source;
    private final byte[] content = ByteSourceContract.bytes(LENGTH, 7);
    private FileRef file;

    @BeforeEach
    void start() throws IOException {
        s3 = new S3aFixture("fs.s3a.connection.maximum", "2");
        source = ByteSources.forFileSystem(s3.fileSystem(), POLICY);
        file = s3.put("object", content);
    }

    @AfterEach
    void stop() throws IOException {
        s3.close();
    }

    private RecordingScope readsExactly(int offset, int length) throws IOException {
        RecordingScope scope = new RecordingScope();
        byte[] target = new byte[length];
        source.read(file, offset, target, 0, length, scope);
        assertArrayEquals(Arrays.copyOfRange(content, offset, offset + length), target);
        assertEquals(length, scope.received.get());
        return scope;
    }

    @Test
    void aBodyCutAfterAnyByteIsContinuedThere() throws IOException {
        file = source.readTail(file, 8, new RecordingScope()).file();
        for (boolean reset : new boolean[] {false, true}) {
            for (int k = 0; k < 64; k++) {
                s3.server.next(new Fault.Cut(k, reset));
                RecordingScope scope = readsExactly(1000, 64);
                assertEquals(2, scope.requests.get());
                if (!reset) {
                    List<FaultServer.Request> log = s3.server.requests();
                    assertEquals(
                            "bytes=" + (1000 + k) + "-1063",
                            log.get(log.size() - 1).headers().get("range"));
                }
            }
        }
    }

    @Test
    void everyPassingFaultEndsInTheRightBytes() throws IOException {
        file = source.readTail(file, 8, new RecordingScope()).file();
        List<Fault> faults = List.of(
                new Fault.Cut(0, true),
                new Fault.Cut(9_999, false),
                new Fault.Truncated(1, Framing.CONTENT_LENGTH),
                new Fault.Truncated(1, Framing.CHUNKED),
                new Fault.Truncated(9_999, Framing.CLOSE),
                new Fault.IgnoreRange(),
                new Fault.ContentRange("bytes 0-9999/100000"),
                new Fault.ContentRange("bytes 5000-14999/100001"),
                new Fault.ContentRange(null),
                new Fault.Stall(-1),
                new Fault.Stall(5000),
                new Fault.Status(503, "SlowDown"),
                new Fault.Status(500, "InternalError"));
        for (Fault fault : faults) {
            s3.server.next(fault);
            assertEquals(1, readsExactly(5000, 10_000).retries.size(), fault.toString());
            s3.server.next(fault);
            assertArrayEquals(
                    Arrays.copyOfRange(content, LENGTH - 10_000, LENGTH),
                    source.readTail(file, 10_000, new RecordingScope()).bytes());
        }
        long seed = 4711;
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            for (int i = random.nextInt(6); i > 0; i--) {
                Fault fault = faults.get(random.nextInt(faults.size()));
                // Stalls take their time; those above are enough.
                s3.server.next(fault instanceof Fault.Stall ? new Fault.Cut(random.nextInt(9_999), false) : fault);
            }
            int offset = random.nextInt(LENGTH - 10_000);
            readsExactly(offset, 1 + random.nextInt(10_000));
            s3.server.heal();
        }
    }

    @Test
    void aStandingFaultEndsInOneClearErrorAfterTheSetNumberOfAttempts() {
        List<Fault> faults = List.of(
                new Fault.Cut(0, false),
                new Fault.Truncated(3, Framing.CHUNKED),
                new Fault.IgnoreRange(),
                new Fault.ContentRange("bytes 1-100/100000"),
                new Fault.Status(503, "SlowDown"));
        for (Fault fault : faults) {
            s3.server.always(fault);
            int before = s3.server.gets();
            IOException e = assertThrows(
                    IOException.class, () -> source.read(file, 5000, new byte[100], 0, 100, new RecordingScope()));
            assertTrue(
                    e.getMessage()
                            .startsWith(
                                    "gave up after 8 attempts: s3a://bucket/object bytes 5000-5099 (wanted 100, got "),
                    e.getMessage());
            assertEquals(8, s3.server.gets() - before);
            assertEquals(fault instanceof Fault.Status, e instanceof ThrottledException);
        }
    }

    @Test
    void finalAnswersAreFinal() {
        file = new FileRef(file.path(), LENGTH, 0, s3.server.put("object", content));
        assertFinal(FileNotFoundException.class, new Fault.Status(404, "NoSuchKey"), 1);
        assertFinal(AccessDeniedException.class, new Fault.Status(403, "AccessDenied"), 1);
        assertFinal(FileChangedException.class, new Fault.Status(412, "PreconditionFailed"), 1);
        assertFinal(UnrecoverableReadException.class, new Fault.Status(400, "InvalidRequest"), 1);
        assertFinal(AccessDeniedException.class, new Fault.Status(400, "ExpiredToken"), 2);
    }

    private void assertFinal(Class<? extends IOException> expected, Fault fault, int attempts) {
        int before = s3.server.gets();
        s3.server.always(fault);
        IOException e =
                assertThrows(IOException.class, () -> source.read(file, 0, new byte[9], 0, 9, new RecordingScope()));
        assertInstanceOf(expected, e);
        assertTrue(e.getMessage().contains(file.path()), e.getMessage());
        assertEquals(attempts, s3.server.gets() - before);
    }

    @Test
    void anObjectReplacedOrRemovedBeforeAnyRequestNeverMixes() throws IOException {
        int parts = 5;
        int part = 1000;
        for (boolean remove : new boolean[] {false, true}) {
            for (int swapAt = 0; swapAt <= parts; swapAt++) {
                file = s3.put("object", content);
                for (int i = 0; i < swapAt; i++) {
                    s3.server.next(new Fault.None());
                }
                s3.server.next(new Fault.Before(() -> {
                    if (remove) {
                        s3.server.remove("object");
                    } else {
                        s3.server.put("object", ByteSourceContract.bytes(LENGTH, 8));
                    }
                }));
                byte[] target = new byte[parts * part];
                int read = 0;
                IOException error = null;
                try {
                    FileRef pinned =
                            source.readTail(file, 8, new RecordingScope()).file();
                    for (; read < parts; read++) {
                        source.read(pinned, (long) read * part, target, read * part, part, new RecordingScope());
                    }
                } catch (IOException e) {
                    error = e;
                }
                if (swapAt == 0 && !remove) {
                    // The tail was the new object's already, and so is everything else.
                    assertArrayEquals(Arrays.copyOf(ByteSourceContract.bytes(LENGTH, 8), parts * part), target);
                } else {
                    assertSame(remove ? FileNotFoundException.class : FileChangedException.class, error.getClass());
                    assertEquals(Math.max(0, swapAt - 1), read);
                    assertArrayEquals(Arrays.copyOf(content, read * part), Arrays.copyOf(target, read * part));
                }
            }
        }
    }

    @Test
    void anObjectReplacedBetweenTwoAttemptsOfOneReadIsNotMixed() throws IOException {
        FileRef pinned = source.readTail(file, 8, new RecordingScope()).file();
        s3.server.next(
                new Fault.Cut(500, false),
                new Fault.Before(() -> s3.server.put("object", ByteSourceContract.bytes(LENGTH, 8))));
        FileChangedException e = assertThrows(
                FileChangedException.class,
                () -> source.read(pinned, 0, new byte[1000], 0, 1000, new RecordingScope()));
        assertTrue(e.getMessage().contains(pinned.etag()), e.getMessage());
    }

    @Test
    void manyReadersShareAPoolOfTwoConnectionsAndGiveThemBack() throws Exception {
        Random random = new Random(5);
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> reads = new ArrayList<>();
            AtomicInteger cancelled = new AtomicInteger();
            for (int i = 0; i < 100; i++) {
                RecordingScope scope = new RecordingScope();
                int offset = random.nextInt(LENGTH - 20_000);
                boolean kill = i % 3 == 0;
                if (i % 7 == 0) {
                    s3.server.next(new Fault.Cut(random.nextInt(10_000), random.nextBoolean()));
                }
                reads.add(pool.submit(() -> {
                    byte[] target = new byte[20_000];
                    source.read(file, offset, target, 0, target.length, scope);
                    assertArrayEquals(Arrays.copyOfRange(content, offset, offset + 20_000), target);
                    return null;
                }));
                if (kill) {
                    scope.cancel();
                }
            }
            for (Future<?> read : reads) {
                try {
                    read.get(60, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    assertInstanceOf(ReadCancelledException.class, e.getCause());
                    cancelled.incrementAndGet();
                }
            }
            assertTrue(cancelled.get() <= 34, "cancelled " + cancelled);
            Eventually.holds(() -> s3.server.openConnections() <= 2, "open " + s3.server.openConnections());
            s3.server.awaitNothingServing();
        } finally {
            pool.shutdownNow();
        }
        readsExactly(0, LENGTH);
        s3.fs.close();
        Eventually.holds(() -> s3.server.openConnections() == 0, "open " + s3.server.openConnections());
    }

    @Test
    void aCancellationAtAnyMomentEitherCancelsOrComesTooLate() throws Exception {
        long seed = 31;
        Random random = new Random(seed);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 300; round++) {
                RecordingScope scope = new RecordingScope();
                byte[] target = new byte[LENGTH];
                Future<?> read = pool.submit(() -> {
                    source.read(file, 0, target, 0, LENGTH, scope);
                    return null;
                });
                long moment = System.nanoTime() + random.nextInt(3_000_000);
                while (System.nanoTime() < moment) {
                    Thread.onSpinWait();
                }
                scope.cancel();
                String where = "seed " + seed + " round " + round;
                try {
                    read.get(20, TimeUnit.SECONDS);
                    assertArrayEquals(content, target, where);
                } catch (ExecutionException e) {
                    assertSame(ReadCancelledException.class, e.getCause().getClass(), where);
                }
                assertFalse(
                        pool.submit(() -> Thread.currentThread().isInterrupted())
                                .get(20, TimeUnit.SECONDS),
                        where);
            }
        } finally {
            pool.shutdownNow();
        }
        readsExactly(0, LENGTH);
        s3.server.awaitNothingServing();
        Eventually.holds(() -> s3.server.openConnections() <= 2, "open " + s3.server.openConnections());
    }

    @Test
    void nothingWritesToTheTargetOnceACancelledReadReturned() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 10; round++) {
                s3.server.next(new Fault.Stall(1 + 9_000 * round));
                RecordingScope scope = new RecordingScope();
                byte[] target = new byte[LENGTH];
                Future<?> read = pool.submit(() -> {
                    source.read(file, 0, target, 0, LENGTH, scope);
                    return null;
                });
                s3.server.awaitStall();
                scope.cancel();
                ExecutionException e = assertThrows(ExecutionException.class, () -> read.get(20, TimeUnit.SECONDS));
                assertInstanceOf(ReadCancelledException.class, e.getCause());
                int received = (int) scope.received.get();
                assertArrayEquals(Arrays.copyOf(content, received), Arrays.copyOf(target, received));
                assertArrayEquals(new byte[LENGTH - received], Arrays.copyOfRange(target, received, LENGTH));
                // The thread that was interrupted to end the read is fit for the next one.
                assertFalse(pool.submit(() -> Thread.currentThread().isInterrupted())
                        .get(20, TimeUnit.SECONDS));
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
