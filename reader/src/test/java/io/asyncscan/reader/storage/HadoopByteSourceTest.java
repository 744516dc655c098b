// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HadoopByteSourceTest extends ByteSourceContract {
    @TempDir
    java.nio.file.Path directory;

    private LocalFileSystem fs;
    private int versions;

    @BeforeEach
    void open() throws IOException {
        fs = FileSystem.getLocal(new Configuration());
    }

    @Override
    ByteSource source() {
        return new HadoopByteSource(fs);
    }

    @Override
    FileRef write(String name, byte[] content) throws IOException {
        java.nio.file.Path path = directory.resolve(name);
        Files.write(path, content);
        Files.setLastModifiedTime(path, FileTime.from(Instant.ofEpochSecond(1767323045L + versions++)));
        return listed(fs, name);
    }

    private FileRef listed(FileSystem of, String name) throws IOException {
        FileStatus status = of.getFileStatus(new Path(directory.resolve(name).toUri()));
        return FileRef.listed(status.getPath().toString(), status.getLen(), status.getModificationTime());
    }

    @Override
    void delete(String name) throws IOException {
        Files.delete(directory.resolve(name));
    }

    @Test
    void learnsTheTimeOfAFileThatWasListedWithout() throws IOException {
        FileRef file = write("untimed", bytes(100, 1));
        FileRef untimed = FileRef.listed(file.path(), 100, 0);
        source().read(untimed, 0, new byte[100], 0, 100, new RecordingScope());
        assertEquals(file, source().readTail(untimed, 8, new RecordingScope()).file());
    }

    @Test
    void readsAndVerifiesAFileWithChecksums() throws IOException {
        byte[] content = bytes((3 << 20) + 5, 2);
        Path path = new Path(directory.resolve("checked").toUri());
        try (var out = fs.create(path)) {
            out.write(content);
        }
        FileRef file = listed(fs, "checked");
        byte[] target = new byte[content.length];
        source().read(file, 0, target, 0, target.length, new RecordingScope());
        assertArrayEquals(content, target);
        content[1_000_000] ^= 1;
        Files.write(directory.resolve("checked"), content);
        FileRef damaged = listed(fs, "checked");
        RecordingScope scope = new RecordingScope();
        UnrecoverableReadException e = assertThrows(
                UnrecoverableReadException.class, () -> source().read(damaged, 0, target, 0, target.length, scope));
        assertTrue(e.getMessage().contains(damaged.path()), e.getMessage());
        assertEquals(0, scope.received.get());
    }

    /** A file system that is not local by its scheme: counts, and keeps the longer listing of a file cut short since. */
    private static final class Remote extends RawLocalFileSystem {
        final AtomicInteger statuses = new AtomicInteger();
        final AtomicInteger opened = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();
        String scheme = "remote";
        long pretendLength = -1;
        RuntimeException onRead;
        private boolean opening;

        @Override
        public URI getUri() {
            return URI.create(scheme + ":///");
        }

        @Override
        protected void checkPath(Path path) {}

        @Override
        public FileStatus getFileStatus(Path path) throws IOException {
            if (!opening) {
                statuses.incrementAndGet();
            }
            FileStatus status = super.getFileStatus(new Path(path.toUri().getPath()));
            return pretendLength < 0
                    ? status
                    : new FileStatus(pretendLength, false, 1, 1, status.getModificationTime(), path);
        }

        @Override
        public FSDataInputStream open(Path path, int bufferSize) throws IOException {
            opened.incrementAndGet();
            opening = true;
            FSDataInputStream in = super.open(new Path(path.toUri().getPath()), bufferSize);
            opening = false;
            return new FSDataInputStream(in) {
                @Override
                public void readFully(long position, byte[] buffer, int offset, int length) throws IOException {
                    if (onRead != null) {
                        throw onRead;
                    }
                    super.readFully(position, buffer, offset, length);
                }

                @Override
                public void close() throws IOException {
                    closed.incrementAndGet();
                    super.close();
                }
            };
        }
    }

    private Remote remote() throws IOException {
        Remote remote = new Remote();
        remote.initialize(URI.create("file:///"), new Configuration());
        return remote;
    }

    @Test
    void asksObjectStoresForNoStatus() throws IOException {
        byte[] content = bytes(1000, 3);
        FileRef file = write("remote", content);
        Remote remote = remote();
        byte[] target = new byte[500];
        new HadoopByteSource(remote).read(file, 500, target, 0, 500, new RecordingScope());
        assertArrayEquals(java.util.Arrays.copyOfRange(content, 500, 1000), target);
        new HadoopByteSource(remote).readTail(file, 8, new RecordingScope());
        assertEquals(0, remote.statuses.get());
        remote.scheme = "abfs";
        new HadoopByteSource(remote).read(file, 500, target, 0, 500, new RecordingScope());
        assertEquals(1, remote.statuses.get());
    }

    @Test
    void closesItsStreamsWhateverHappens() throws IOException {
        FileRef file = write("closed", bytes(1000, 4));
        Remote remote = remote();
        HadoopByteSource source = new HadoopByteSource(remote);
        source.read(file, 0, new byte[9], 0, 9, new RecordingScope());
        FileRef tooLong = FileRef.listed(file.path(), 2000, 0);
        assertThrows(IOException.class, () -> source.read(tooLong, 900, new byte[200], 0, 200, new RecordingScope()));
        remote.onRead = new IllegalStateException("hostile");
        assertThrows(IllegalStateException.class, () -> source.read(file, 0, new byte[9], 0, 9, new RecordingScope()));
        assertEquals(3, remote.opened.get());
        assertEquals(3, remote.closed.get());
    }

    @Test
    void tellsAFileThatShrankFromOneThatEndsEarly() throws IOException {
        FileRef file = write("short", bytes(1000, 5));
        FileRef tooLong = FileRef.listed(file.path(), 2000, 0);
        Remote remote = remote();
        HadoopByteSource source = new HadoopByteSource(remote);
        RecordingScope scope = new RecordingScope();
        FileChangedException changed =
                assertThrows(FileChangedException.class, () -> source.read(tooLong, 900, new byte[200], 0, 200, scope));
        assertTrue(
                changed.getMessage().contains("2000 bytes")
                        && changed.getMessage().contains("1000 bytes"),
                changed.getMessage());
        remote.pretendLength = 2000;
        IOException early =
                assertThrows(IOException.class, () -> source.read(tooLong, 900, new byte[200], 0, 200, scope));
        assertEquals(IOException.class, early.getClass());
        assertTrue(early.getMessage().contains("bytes 900-1099 (wanted 200"), early.getMessage());
        assertEquals(0, scope.received.get());
    }

    @Test
    void noticesACancellationBetweenThePiecesOfALocalRead() throws IOException {
        FileRef file = write("pieces", bytes(4 << 20, 6));
        RecordingScope scope = new RecordingScope();
        AtomicInteger asked = new AtomicInteger();
        ReadScope second = new ReadScope() {
            @Override
            public boolean cancelled() {
                return asked.incrementAndGet() > 3;
            }

            @Override
            public void onCancel(Runnable abort) {}

            @Override
            public void clearOnCancel() {}

            @Override
            public void requestSent() {}

            @Override
            public void received(int count) {
                scope.received(count);
            }

            @Override
            public void retried(IOFault fault) {}
        };
        ReadCancelledException e = assertThrows(
                ReadCancelledException.class, () -> source().read(file, 0, new byte[4 << 20], 0, 4 << 20, second));
        assertTrue(e.getMessage().contains("got 2097152"), e.getMessage());
        assertEquals(0, scope.received.get());
    }
}
