// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What every {@link ByteSource} promises, whatever it reads from. Files are written by the implementation's test. */
abstract class ByteSourceContract {
    private static final long SEED = 20260102L;

    abstract ByteSource source() throws IOException;

    /** Writes a file and returns it as a listing would; an existing one is replaced by a version that can be told apart. */
    abstract FileRef write(String name, byte[] content) throws IOException;

    abstract void delete(String name) throws IOException;

    static byte[] bytes(int length, long seed) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    @Test
    void deliversExactlyTheBytesAskedForAtEveryBoundary() throws IOException {
        int window = 4096;
        byte[] content = bytes(3 * window, 1);
        FileRef file = write("windows", content);
        ByteSource source = source();
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            int from = boundary(random, window, content.length - 1);
            int to = Math.max(from + 1, boundary(random, window, content.length));
            int length = to - from;
            byte[] target = new byte[length + 7];
            RecordingScope scope = new RecordingScope();
            source.read(file, from, target, 3, length, scope);
            String where = "seed " + SEED + " round " + round + ": " + from + "-" + to;
            assertArrayEquals(Arrays.copyOfRange(content, from, to), Arrays.copyOfRange(target, 3, 3 + length), where);
            assertArrayEquals(new byte[3], Arrays.copyOf(target, 3), where);
            assertArrayEquals(new byte[4], Arrays.copyOfRange(target, 3 + length, length + 7), where);
            assertEquals(length, scope.received.get(), where);
            assertTrue(scope.requests.get() >= 1, where);
            assertFalse(scope.hasOnCancel(), where);
        }
    }

    /** Mostly next to a multiple of the window, sometimes anywhere. */
    private static int boundary(Random random, int window, int max) {
        int at = random.nextInt(4) == 0
                ? random.nextInt(max + 1)
                : random.nextInt(max / window + 1) * window + random.nextInt(3) - 1;
        return Math.min(max, Math.max(0, at));
    }

    @Test
    void readsMoreThanAnyBufferHolds() throws IOException {
        byte[] content = bytes((5 << 20) + 11, 2);
        FileRef file = write("large", content);
        byte[] target = new byte[content.length];
        source().read(file, 0, target, 0, target.length, new RecordingScope());
        assertArrayEquals(content, target);
    }

    @Test
    void rejectsWhatIsNotWithinTheFile() throws IOException {
        FileRef file = write("bounds", bytes(100, 3));
        ByteSource source = source();
        byte[] target = new byte[200];
        RecordingScope scope = new RecordingScope();
        for (long[] range : new long[][] {{-1, 1}, {0, 0}, {0, 101}, {100, 1}, {99, 2}, {Long.MAX_VALUE, 1}}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> source.read(file, range[0], target, 0, (int) range[1], scope),
                    Arrays.toString(range));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> source.read(file, 0, target, 150, 100, scope));
        assertThrows(IllegalArgumentException.class, () -> source.readTail(file, 0, scope));
        assertThrows(IllegalArgumentException.class, () -> source.readTail(file, 101, scope));
        assertEquals(0, scope.requests.get());
    }

    @Test
    void readsTheTailWithItsVersionInOneGo() throws IOException {
        byte[] content = bytes(1000, 4);
        FileRef file = write("tail", content);
        for (int length : new int[] {1, 8, 999, 1000}) {
            RecordingScope scope = new RecordingScope();
            FileTail tail = source().readTail(file, length, scope);
            assertArrayEquals(Arrays.copyOfRange(content, 1000 - length, 1000), tail.bytes());
            assertEquals(1000 - length, tail.offset());
            assertEquals(1, scope.requests.get());
            assertEquals(length, scope.received.get());
            byte[] head = new byte[10];
            source().read(tail.file(), 0, head, 0, 10, scope);
            assertArrayEquals(Arrays.copyOf(content, 10), head);
        }
    }

    @Test
    void namesAFileThatIsGone() throws IOException {
        FileRef file = write("gone", bytes(100, 5));
        delete("gone");
        RecordingScope scope = new RecordingScope();
        FileNotFoundException read =
                assertThrows(FileNotFoundException.class, () -> source().read(file, 0, new byte[9], 0, 9, scope));
        assertTrue(read.getMessage().contains(file.path()), read.getMessage());
        FileNotFoundException tail = assertThrows(FileNotFoundException.class, () -> source().readTail(file, 8, scope));
        assertTrue(tail.getMessage().contains(file.path()), tail.getMessage());
        assertEquals(0, scope.received.get());
    }

    @Test
    void neverReadsAnotherVersionThanTheOneFirstSeen() throws IOException {
        FileRef listed = write("swapped", bytes(100, 6));
        FileRef pinned = source().readTail(listed, 8, new RecordingScope()).file();
        for (byte[] content : new byte[][] {bytes(100, 7), bytes(200, 8), bytes(50, 9)}) {
            write("swapped", content);
            for (FileRef file : new FileRef[] {listed, pinned}) {
                RecordingScope scope = new RecordingScope();
                FileChangedException changed = assertThrows(
                        FileChangedException.class, () -> source().read(file, 60, new byte[9], 0, 9, scope));
                assertTrue(changed.getMessage().contains(file.path()), changed.getMessage());
                assertTrue(changed.getMessage().contains("expected"), changed.getMessage());
                assertTrue(changed.getMessage().contains("found"), changed.getMessage());
                assertEquals(0, scope.received.get());
            }
            assertThrows(FileChangedException.class, () -> source().readTail(pinned, 8, new RecordingScope()));
        }
    }

    @Test
    void sendsNothingForACancelledScope() throws IOException {
        FileRef file = write("cancelled", bytes(100, 10));
        RecordingScope scope = new RecordingScope();
        scope.cancel();
        assertThrows(ReadCancelledException.class, () -> source().read(file, 0, new byte[9], 0, 9, scope));
        assertThrows(ReadCancelledException.class, () -> source().readTail(file, 8, scope));
        assertEquals(0, scope.requests.get());
    }
}
