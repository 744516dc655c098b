// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;
import java.util.Optional;

/**
 * Where the bytes of files come from: one object store client or one Hadoop file system.
 *
 * <p>All calls block, are safe from any thread, and keep nothing open when they return. An implementation delivers
 * exactly the bytes asked for or throws; it never delivers bytes of another version of the file than the one
 * {@link FileRef} pins. It makes one attempt: {@code RetryingByteSource} owns retries.
 *
 * <p>Errors: {@link java.io.FileNotFoundException} when the file is gone, {@link FileChangedException} when it is not
 * the version that was planned, {@link ThrottledException} when the store asks to slow down, {@link ReadCancelledException}
 * when the {@link ReadScope} was cancelled, {@link java.nio.file.AccessDeniedException} when the store refuses. Any other
 * {@link IOException} is a fault that a further attempt may not meet.
 */
public interface ByteSource {

    /**
     * Reads {@code length} bytes from {@code offset} on into {@code target[at .. at + length)}.
     *
     * @param offset first byte (0-based)
     * @param length number of bytes, at least 1; {@code offset + length} is within the file
     * @param scope who wants the bytes: cancellation, and where requests and progress are counted. Bytes that were put
     *     into {@code target} before a fault are reported as {@linkplain ReadScope#received received}, in order and
     *     without gaps, so that a further attempt goes on behind them
     */
    void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException;

    /**
     * Reads the last {@code length} bytes of the file with one request and learns its version on the way.
     *
     * @param length number of bytes, between 1 and the file's length
     * @return the bytes and the reference pinned to the version they belong to
     */
    FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException;

    /**
     * Reads the last bytes of a file of which only the path is known, and learns its length, time and version on the way:
     * one request where asking first takes two. It is a try: one attempt, and an answer only if all went well.
     *
     * @param length number of bytes, at least 1; all of a file that is shorter
     * @return empty if this source cannot do that, or if it did not succeed: who reads the file properly learns why
     * @throws java.io.FileNotFoundException when the store says that there is no such file (there may be a directory)
     */
    default Optional<FileTail> open(String path, int length, ReadScope scope) throws IOException {
        return Optional.empty();
    }
}
