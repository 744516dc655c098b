// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.storage.Fault.Framing;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class S3aByteSourceTest extends ByteSourceContract {
    private static final int LENGTH = 200_000;
    private S3aFixture s3;
    private final byte[] content = bytes(LENGTH, 42);
    private FileRef file;
    private int versions;

    @BeforeEach
    void start() throws IOException {
        s3 = new S3aFixture("fs.s3a.connection.maximum", "2");
        file = s3.put("object", content);
    }

    @AfterEach
    void stop() throws IOException {
        s3.close();
    }

    @Override
    ByteSource source() {
        return source(Duration.ofSeconds(30));
    }

    private ByteSource source(Duration progressTimeout) {
        return S3aByteSource.open(s3.fileSystem(), progressTimeout).orElseThrow();
    }

    @Override
    FileRef write(String name, byte[] bytes) {
        Instant modified = Instant.ofEpochSecond(1767323045L + 60L * versions++);
        s3.server.put(name, bytes, modified);
        return FileRef.listed("s3a://bucket/" + name, bytes.length, modified.toEpochMilli());
    }

    @Override
    void delete(String name) {
        s3.server.remove(name);
    }

    private IOException fails(FileRef ref, RecordingScope scope) {
        return assertThrows(IOException.class, () -> source().read(ref, 100, new byte[5000], 0, 5000, scope));
    }

    /** One attempt that fails as a fault that may pass, after {@code received} bytes, with a message that says all. */
    private void failsOnce(Fault fault, int received) throws Exception {
        int before = s3.server.gets();
        RecordingScope scope = new RecordingScope();
        s3.server.next(fault);
        IOException e = fails(file, scope);
        assertEquals(IOException.class, e.getClass(), e.toString());
        assertTrue(
                e.getMessage().contains("s3a://bucket/object bytes 100-5099 (wanted 5000, got " + received + ")"),
                e::toString);
        assertEquals(received, scope.received.get());
        assertEquals(1, scope.requests.get());
        assertEquals(1, s3.server.gets() - before, "the SDK must not retry");
        assertFalse(scope.hasOnCancel());
        s3.server.awaitNothingServing();
        byte[] again = new byte[LENGTH];
        source().read(file, 0, again, 0, LENGTH, new RecordingScope());
        assertArrayEquals(content, again);
    }

    @Test
    void reportsABodyThatIsCutAnywhere() throws Exception {
        for (int k : new int[] {0, 1, 17, 4999}) {
            failsOnce(new Fault.Cut(k, false), k);
        }
    }

    @Test
    void reportsAConnectionThatIsReset() throws Exception {
        // A reset may overtake the bytes before it, so only "nothing was sent" has a certain count.
        failsOnce(new Fault.Cut(0, true), 0);
    }

    @Test
    void detectsShortResponsesThatLookComplete() throws Exception {
        failsOnce(new Fault.Truncated(1, Framing.CONTENT_LENGTH), 0);
        failsOnce(new Fault.Truncated(4999, Framing.CONTENT_LENGTH), 0);
        failsOnce(new Fault.Truncated(3, Framing.CHUNKED), 4997);
        failsOnce(new Fault.Truncated(3, Framing.CLOSE), 4997);
    }

    @Test
    void acceptsACompleteChunkedBody() throws IOException {
        s3.server.next(new Fault.Truncated(0, Framing.CHUNKED), new Fault.Truncated(0, Framing.CLOSE));
        for (int i = 0; i < 3; i++) {
            byte[] target = new byte[5000];
            source().read(file, 100, target, 0, 5000, new RecordingScope());
            assertArrayEquals(Arrays.copyOfRange(content, 100, 5100), target);
        }
    }

    @Test
    void refusesAWholeObjectInPlaceOfARange() throws Exception {
        failsOnce(new Fault.IgnoreRange(), 0);
    }

    @Test
    void takesAWholeObjectWhereItIsTheRange() throws IOException {
        s3.server.always(new Fault.IgnoreRange());
        byte[] target = new byte[LENGTH];
        source().read(file, 0, target, 0, LENGTH, new RecordingScope());
        assertArrayEquals(content, target);
        assertArrayEquals(
                content, source().readTail(file, LENGTH, new RecordingScope()).bytes());
    }

    @Test
    void refusesAWrongContentRange() throws Exception {
        file = source().readTail(file, 8, new RecordingScope()).file();
        for (String value : new String[] {
            null,
            "bytes 101-5100/200000",
            "bytes 100-5098/200000",
            "bytes 100-5099/200001",
            "bytes 100-5099/*",
            "garbage"
        }) {
            failsOnce(new Fault.ContentRange(value), 0);
        }
    }

    @Test
    void refusesAVersionThatTheStoreShouldHaveRefused() throws IOException {
        FileRef pinned = source().readTail(file, 8, new RecordingScope()).file();
        String found = s3.server.put("object", bytes(LENGTH, 43));
        s3.server.next(new Fault.IgnoreIfMatch());
        RecordingScope scope = new RecordingScope();
        FileChangedException e = assertInstanceOf(FileChangedException.class, fails(pinned, scope));
        assertTrue(e.getMessage().contains(found) && e.getMessage().contains(pinned.etag()), e.getMessage());
        assertEquals(0, scope.received.get());
    }

    @Test
    void pinsEveryRangeToTheEntityTag() throws IOException {
        FileRef pinned = source().readTail(file, 8, new RecordingScope()).file();
        assertEquals(s3.server.put("object", content), pinned.etag());
        source().read(pinned, 0, new byte[9], 0, 9, new RecordingScope());
        FileRef unquoted = new FileRef(pinned.path(), LENGTH, 0, pinned.etag().replace("\"", ""));
        source().read(unquoted, 0, new byte[9], 0, 9, new RecordingScope());
        s3.server.requests().stream()
                .skip(1)
                .forEach(r -> assertEquals(pinned.etag(), r.headers().get("if-match")));
        String found = s3.server.put("object", bytes(77, 44));
        FileChangedException e = assertInstanceOf(FileChangedException.class, fails(pinned, new RecordingScope()));
        assertTrue(
                e.getMessage().contains(pinned.path())
                        && e.getMessage().contains(pinned.etag())
                        && e.getMessage().contains(found)
                        && e.getMessage().contains("77 bytes"),
                e.getMessage());
    }

    @Test
    void tellsAShrunkObjectFromARefusedRange() throws IOException {
        s3.server.put("object", new byte[0]);
        FileChangedException tail =
                assertThrows(FileChangedException.class, () -> source().readTail(file, 8, new RecordingScope()));
        assertTrue(tail.getMessage().contains("0 bytes"), tail.getMessage());
        assertInstanceOf(FileChangedException.class, fails(file, new RecordingScope()));
        s3.server.put("object", content);
        s3.server.next(new Fault.Status(416, "InvalidRange"));
        assertEquals(IOException.class, fails(file, new RecordingScope()).getClass());
    }

    @Test
    void mapsRefusals() {
        assertInstanceOf(ThrottledException.class, refused(503, "SlowDown"));
        assertInstanceOf(ThrottledException.class, refused(429, "TooManyRequests"));
        assertInstanceOf(AccessDeniedException.class, refused(403, "AccessDenied"));
        assertInstanceOf(FileNotFoundException.class, refused(404, "NoSuchBucket"));
        assertInstanceOf(CredentialsExpiredException.class, refused(400, "ExpiredToken"));
        assertInstanceOf(UnrecoverableReadException.class, refused(400, "InvalidRequest"));
        assertEquals(IOException.class, refused(500, "InternalError").getClass());
        assertEquals(IOException.class, refused(400, "RequestTimeout").getClass());
    }

    private IOException refused(int status, String code) {
        int before = s3.server.gets();
        s3.server.next(new Fault.Status(status, code));
        IOException e = fails(file, new RecordingScope());
        assertEquals(1, s3.server.gets() - before, "the SDK must not retry " + status);
        assertTrue(e.getMessage().contains(file.path()) && e.getMessage().contains(code), e.getMessage());
        for (Throwable t = e; t != null; t = t.getCause()) {
            assertFalse(String.valueOf(t.getMessage()).contains(S3aFixture.ACCESS_KEY), t.getMessage());
            assertFalse(String.valueOf(t.getMessage()).contains(S3aFixture.SECRET_KEY), t.getMessage());
        }
        return e;
    }

    @Test
    void givesUpOnSilenceAtEveryPointOfAResponse() throws Exception {
        for (int after : new int[] {-1, 0, 3000}) {
            s3.server.next(new Fault.Stall(after));
            RecordingScope scope = new RecordingScope();
            IOException e = assertThrows(
                    IOException.class,
                    () -> source(Duration.ofMillis(300)).read(file, 0, new byte[5000], 0, 5000, scope));
            assertTrue(e.getMessage().contains("no byte for 300 ms"), e.getMessage());
            assertEquals(Math.max(0, after), scope.received.get());
            s3.server.awaitNothingServing();
            assertFalse(Thread.currentThread().isInterrupted());
        }
        assertEquals(3, s3.server.gets());
    }

    @Test
    void leavesASlowResponseAloneAsLongAsBytesCome() throws IOException {
        // Twice the timeout in all, a twentieth of it between two pieces.
        s3.server.next(new Fault.Slow(40, Duration.ofMillis(50)));
        byte[] target = new byte[4000];
        source(Duration.ofSeconds(1)).read(file, 0, target, 0, 4000, new RecordingScope());
        assertArrayEquals(Arrays.copyOf(content, 4000), target);
        assertEquals(1, s3.server.gets());
    }

    @Test
    void abortsAtOnceWhenCancelledAtEveryPointOfAResponse() throws Exception {
        // More rounds than the pool has connections: each has to come back.
        for (int round = 0; round < 9; round++) {
            int after = new int[] {-1, 0, 100_000}[round % 3];
            s3.server.next(new Fault.Stall(after));
            RecordingScope scope = new RecordingScope();
            CompletableFuture<Boolean> read = CompletableFuture.supplyAsync(() -> {
                IOException e = assertThrows(
                        ReadCancelledException.class, () -> source().read(file, 0, new byte[LENGTH], 0, LENGTH, scope));
                assertTrue(e.getMessage().contains(file.path()), e.getMessage());
                return Thread.currentThread().isInterrupted();
            });
            s3.server.awaitStall();
            long start = System.nanoTime();
            scope.cancel();
            assertFalse(read.get(20, TimeUnit.SECONDS));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(millis < 1000, "returned after " + millis + " ms");
            s3.server.awaitNothingServing();
        }
        Eventually.holds(() -> s3.server.openConnections() == 0, "connections left: " + s3.server.openConnections());
        source().read(file, 0, new byte[LENGTH], 0, LENGTH, new RecordingScope());
    }

    @Test
    void doesNotDrainWhatItDoesNotWant() throws Exception {
        byte[] large = bytes(32 << 20, 45);
        FileRef big = s3.put("big", large);
        s3.server.next(new Fault.IgnoreRange());
        assertThrows(IOException.class, () -> source().read(big, 0, new byte[10], 0, 10, new RecordingScope()));
        s3.server.awaitNothingServing();
        assertTrue(s3.server.bodyBytes() < 16 << 20, "sent " + s3.server.bodyBytes());
    }

    @Test
    void reusesConnections() throws IOException {
        for (int i = 0; i < 50; i++) {
            source().read(file, i, new byte[100], 0, 100, new RecordingScope());
        }
        assertEquals(1, s3.server.openConnections());
    }

    @Test
    void saysThatTheFileSystemIsClosed() throws IOException {
        ByteSource source = source();
        s3.fs.close();
        UnrecoverableReadException e = assertThrows(
                UnrecoverableReadException.class, () -> source.read(file, 0, new byte[9], 0, 9, new RecordingScope()));
        assertTrue(e.getMessage().contains(file.path()) && e.getMessage().contains("closed"), e.getMessage());
    }

    @Test
    void keepsTheInterruptOfAKilledTask() throws Exception {
        s3.server.next(new Fault.Stall(0));
        Thread.currentThread().interrupt();
        IOException e = fails(file, new RecordingScope());
        assertTrue(Thread.interrupted(), e.toString());
    }

    @Test
    void sendsTheSettingsOfTheFileSystem() throws IOException {
        try (S3aFixture paying = new S3aFixture(
                "fs.s3a.requester.pays.enabled",
                "true",
                "fs.s3a.encryption.algorithm",
                "SSE-C",
                "fs.s3a.encryption.key",
                "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")) {
            FileRef ref = paying.put("object", content);
            ByteSource source =
                    S3aByteSource.open(paying.fs, Duration.ofSeconds(30)).orElseThrow();
            source.read(ref, 0, new byte[9], 0, 9, new RecordingScope());
            var headers = paying.server.requests().get(0).headers();
            assertEquals("requester", headers.get("x-amz-request-payer"));
            assertEquals("AES256", headers.get("x-amz-server-side-encryption-customer-algorithm"));
            assertTrue(headers.get("referer").contains("op_open"), headers.toString());
        }
    }
}
