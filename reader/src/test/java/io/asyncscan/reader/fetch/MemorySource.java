// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Files in memory. Remembers what was read; a test may hold reads up or make them fail. */
public final class MemorySource implements ByteSource {
    /** What happens before the bytes of a read are delivered. */
    public interface Hook {
        /** Blocks, throws, or lets the read go on. */
        void before(Read read, ReadScope scope) throws IOException;
    }

    /** A read of some bytes; {@code tail} if it asked for the end of the file. */
    public record Read(String path, ByteRange range, boolean tail) {}

    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final List<Read> reads = new CopyOnWriteArrayList<>();
    private volatile Hook hook = (read, scope) -> {};

    /** Adds a file and returns a reference to it. */
    public FileRef add(String path, byte[] bytes) {
        files.put(path, bytes);
        return FileRef.listed(path, bytes.length, 1);
    }

    /** Says what happens before each read from now on. */
    public void onRead(Hook action) {
        hook = action;
    }

    /** All reads that were started so far. */
    public List<Read> reads() {
        return List.copyOf(reads);
    }

    /** Forgets the reads so far. */
    public void forget() {
        reads.clear();
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        byte[] bytes = fetch(file, new ByteRange(offset, length), false, scope);
        System.arraycopy(bytes, 0, target, at, length);
        scope.received(length);
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        byte[] bytes = fetch(file, new ByteRange(file.length() - length, length), true, scope);
        scope.received(length);
        return new FileTail(file.pinnedTo("\"v1\""), bytes);
    }

    private byte[] fetch(FileRef file, ByteRange range, boolean tail, ReadScope scope) throws IOException {
        byte[] bytes = files.get(file.path());
        if (bytes == null || range.length() < 1 || range.end() > bytes.length) {
            throw new IllegalArgumentException("no " + range + " in " + file);
        }
        Read read = new Read(file.path(), range, tail);
        reads.add(read);
        scope.requestSent();
        hook.before(read, scope);
        return Arrays.copyOfRange(bytes, Math.toIntExact(range.offset()), Math.toIntExact(range.end()));
    }
}
