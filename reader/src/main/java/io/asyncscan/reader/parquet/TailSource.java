// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;

/**
 * Reads the end of a file as an ordinary job does a range, and remembers which version it belongs to. For one file and
 * one range, which ends where the file ends.
 */
final class TailSource implements ByteSource {
    private final ByteSource source;
    private volatile FileRef pinned;

    TailSource(ByteSource source) {
        this.source = source;
    }

    /** The file at the version that was read; null before. */
    FileRef pinned() {
        return pinned;
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        FileTail tail = source.readTail(file, length, scope);
        System.arraycopy(tail.bytes(), 0, target, at, length);
        pinned = tail.file();
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        return source.readTail(file, length, scope);
    }
}
