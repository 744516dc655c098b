// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.FlakySource.Attempt;
import io.asyncscan.reader.storage.ReadScope.IOFault;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RetryingByteSourceTest extends ByteSourceContract {
    private static final RetryPolicy POLICY =
            new RetryPolicy(4, Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofSeconds(1));

    private final FlakySource flaky = new FlakySource();
    private final List<Duration> pauses = new ArrayList<>();
    private double jitter = 1;
    private final Random faults = new Random(99);
    private boolean contract = true;

    @Override
    ByteSource source() {
        if (contract) {
            // The contract holds however the source below stumbles, but for a request count that it cannot know.
            flaky.next(faults.nextInt(50), new IOException("flaky"));
        }
        return retrying();
    }

    private RetryingByteSource retrying() {
        return new RetryingByteSource(
                flaky,
                POLICY,
                (delay, scope) -> {
                    pauses.add(delay);
                    return !scope.cancelled();
                },
                () -> jitter);
    }

    @Override
    FileRef write(String name, byte[] content) {
        return flaky.put("mem://" + name, content);
    }

    @Override
    void delete(String name) {
        flaky.remove("mem://" + name);
    }

    @Override
    @Test
    void readsTheTailWithItsVersionInOneGo() throws IOException {
        contract = false;
        super.readsTheTailWithItsVersionInOneGo();
    }

    @Test
    void goesOnBehindTheBytesThatAreThere() throws IOException {
        byte[] content = bytes(100, 1);
        FileRef file = write("file", content);
        flaky.next(7, new IOException("first"));
        flaky.next(0, new IOException("second"));
        flaky.next(20, new ThrottledException("third"));
        byte[] target = new byte[60];
        RecordingScope scope = new RecordingScope();
        retrying().read(file, 30, target, 5, 50, scope);
        assertArrayEquals(Arrays.copyOfRange(content, 30, 80), Arrays.copyOfRange(target, 5, 55));
        assertEquals(
                List.of(
                        new Attempt(30, 5, 50),
                        new Attempt(37, 12, 43),
                        new Attempt(37, 12, 43),
                        new Attempt(57, 32, 23)),
                flaky.attempts);
        assertEquals(50, scope.received.get());
        assertEquals(List.of(IOFault.TRANSIENT, IOFault.TRANSIENT, IOFault.THROTTLED), scope.retries);
    }

    @Test
    void startsOverWhenASourceIsNotContentWithAllItsBytes() throws IOException {
        byte[] content = bytes(100, 1);
        FileRef file = write("file", content);
        flaky.next(100, new IOException("checksum"));
        byte[] target = new byte[100];
        RecordingScope scope = new RecordingScope();
        retrying().read(file, 0, target, 0, 100, scope);
        assertEquals(List.of(new Attempt(0, 0, 100), new Attempt(0, 0, 100)), flaky.attempts);
        assertArrayEquals(content, target);
        assertEquals(100, scope.received.get());
    }

    @Test
    void waitsTwiceAsLongEachTimeUpToTheLimitAndLongerWhenThrottled() throws IOException {
        FileRef file = write("file", bytes(100, 1));
        for (double j : new double[] {1, 0}) {
            jitter = j;
            for (boolean throttled : new boolean[] {false, true}) {
                for (int i = 0; i < 3; i++) {
                    flaky.next(0, throttled ? new ThrottledException("slow down") : new IOException("reset"));
                }
                retrying().read(file, 0, new byte[10], 0, 10, new RecordingScope());
            }
        }
        List<Long> millis = pauses.stream().map(Duration::toMillis).toList();
        assertEquals(List.of(100L, 200L, 300L, 300L, 300L, 300L, 50L, 100L, 150L, 150L, 150L, 150L), millis);
    }

    @Test
    void neverWaitsLongerThanTheLimitHoweverManyAttempts() {
        FileRef file = write("file", bytes(100, 1));
        flaky.always(0, new IOException("reset"));
        RetryPolicy policy = new RetryPolicy(200, Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(1));
        RetryingByteSource source = new RetryingByteSource(
                flaky,
                policy,
                (delay, scope) -> {
                    pauses.add(delay);
                    return true;
                },
                () -> 0.999);
        assertThrows(IOException.class, () -> source.read(file, 0, new byte[10], 0, 10, new RecordingScope()));
        assertEquals(199, pauses.size());
        assertTrue(Collections.max(pauses).compareTo(Duration.ofSeconds(5)) <= 0, pauses.toString());
        assertTrue(Collections.min(pauses).compareTo(Duration.ofMillis(49)) >= 0, pauses.toString());
    }

    @Test
    void saysWhatItTriedWhenItGivesUp() {
        FileRef file = write("file", bytes(100, 1));
        IOException cause = new IOException("reset");
        flaky.always(3, cause);
        IOException e = assertThrows(
                IOException.class, () -> retrying().read(file, 30, new byte[50], 0, 50, new RecordingScope()));
        assertEquals("gave up after 4 attempts: mem://file bytes 30-79 (wanted 50, got 12): reset", e.getMessage());
        assertSame(cause, e.getCause());
        flaky.always(0, new ThrottledException("slow down"));
        RecordingScope scope = new RecordingScope();
        assertThrows(ThrottledException.class, () -> retrying().readTail(file, 8, scope));
        assertEquals(4, scope.requests.get());
        assertEquals(3, scope.retries.size());
    }

    @Test
    void doesNotRepeatWhatWillNotChange() {
        FileRef file = write("file", bytes(100, 1));
        for (IOException error : List.of(
                new FileNotFoundException("gone"),
                new AccessDeniedException("denied"),
                new FileChangedException("changed"),
                new ReadCancelledException("cancelled"),
                new UnrecoverableReadException("closed"))) {
            flaky.attempts.clear();
            flaky.next(0, error);
            assertSame(
                    error,
                    assertThrows(
                            IOException.class,
                            () -> retrying().read(file, 0, new byte[10], 0, 10, new RecordingScope())));
            assertEquals(1, flaky.attempts.size());
        }
        assertEquals(List.of(), pauses);
    }

    @Test
    void retriesASocketTimeoutButNotAnInterrupt() throws IOException {
        FileRef file = write("file", bytes(100, 1));
        flaky.next(0, new SocketTimeoutException("timeout"));
        retrying().read(file, 0, new byte[10], 0, 10, new RecordingScope());
        flaky.attempts.clear();
        flaky.next(0, new InterruptedIOException("interrupted"));
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedIOException.class,
                () -> retrying().read(file, 0, new byte[10], 0, 10, new RecordingScope()));
        assertTrue(Thread.interrupted());
        assertEquals(1, flaky.attempts.size());
    }

    @Test
    void triesExpiredCredentialsOnceMore() throws IOException {
        FileRef file = write("file", bytes(100, 1));
        flaky.next(0, new CredentialsExpiredException("expired", null));
        retrying().read(file, 0, new byte[10], 0, 10, new RecordingScope());
        flaky.attempts.clear();
        flaky.always(0, new CredentialsExpiredException("expired", null));
        AccessDeniedException e = assertThrows(
                AccessDeniedException.class, () -> retrying().read(file, 0, new byte[10], 0, 10, new RecordingScope()));
        assertEquals(2, flaky.attempts.size());
        assertTrue(e.getMessage().contains("mem://file"), e.getMessage());
    }

    @Test
    void aCancelledReadIsCancelledWhateverItFailedWith() {
        FileRef file = write("file", bytes(100, 1));
        IOException cause = new IOException("reset by the abort");
        RecordingScope scope = new RecordingScope();
        ByteSource cancelling = new ByteSource() {
            @Override
            public void read(FileRef f, long offset, byte[] target, int at, int length, ReadScope s)
                    throws IOException {
                scope.cancel();
                throw cause;
            }

            @Override
            public FileTail readTail(FileRef f, int length, ReadScope s) throws IOException {
                throw cause;
            }
        };
        RetryingByteSource source = new RetryingByteSource(cancelling, POLICY);
        ReadCancelledException e =
                assertThrows(ReadCancelledException.class, () -> source.read(file, 0, new byte[10], 0, 10, scope));
        assertSame(cause, e.getCause());
        assertEquals(List.of(), scope.retries);
    }

    @Test
    void aRealPauseEndsWhenCancelledOrInterrupted() throws Exception {
        FileRef file = write("file", bytes(100, 1));
        flaky.always(0, new IOException("reset"));
        Duration hour = Duration.ofHours(1);
        RetryingByteSource patient = new RetryingByteSource(flaky, new RetryPolicy(8, hour, hour, hour));
        for (boolean interrupt : new boolean[] {false, true}) {
            RecordingScope scope = new RecordingScope();
            CompletableFuture<IOException> result = new CompletableFuture<>();
            Thread reader = new Thread(() -> result.complete(
                    assertThrows(IOException.class, () -> patient.read(file, 0, new byte[10], 0, 10, scope))));
            reader.start();
            scope.awaitOnCancel();
            if (interrupt) {
                reader.interrupt();
            } else {
                scope.cancel();
            }
            IOException e = result.get(20, TimeUnit.SECONDS);
            assertSame(interrupt ? InterruptedIOException.class : ReadCancelledException.class, e.getClass());
            assertEquals("reset", e.getCause().getMessage());
            assertFalse(scope.hasOnCancel());
        }
    }

    @Test
    void aRealPauseEndsByItself() throws Exception {
        RecordingScope scope = new RecordingScope();
        assertTrue(Pause.REAL.pause(Duration.ofMillis(1), scope));
        assertFalse(scope.hasOnCancel());
        scope.cancel();
        assertFalse(Pause.REAL.pause(Duration.ofHours(1), scope));
    }
}
