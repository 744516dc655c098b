// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.Set;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.functional.FutureIO;

/**
 * Any Hadoop file system, through streams that live for one read.
 *
 * <p>Versions: {@code file:} and {@code hdfs:} are asked for the file's status once the bytes are there, so that a file
 * rewritten meanwhile shows too; {@code abfs:} is asked before, because its streams take the status in place of a
 * request of their own and pin its entity tag. Other stores are not asked, as the status would cost a request a range: there
 * only a file that became too short is noticed, and whatever the store's own stream notices.
 *
 * <p>Cancelling takes effect at once between the pieces of a local read, and for other file systems when the read under
 * way is done: their streams cannot in general be closed from another thread without waiting. A part ({@link
 * RangePolicy#partSize}) bounds that.
 *
 * <p>Bytes count as received when the whole range is there and checked, so a further attempt begins at its start.
 */
final class HadoopByteSource implements ByteSource {
    /** Column chunks at known offsets: no read-ahead. Older file systems know the second word. */
    private static final String READ_POLICY = "parquet, random";

    /**
     * Longest single call on a local stream (bytes). The JDK copies through native memory of the size of the call, one
     * for each thread: with 8 MiB and 256 threads that would be 2 GiB that nobody accounts for. Measured, 1 MiB is as
     * fast.
     */
    private static final int LOCAL_PIECE = 1 << 20;

    /** When to ask for a file's status. */
    private enum StatusCheck {
        BEFORE,
        AFTER,
        NEVER
    }

    private final FileSystem fs;
    private final boolean local;
    private final StatusCheck check;

    HadoopByteSource(FileSystem fs) {
        this.fs = fs;
        String scheme = fs.getUri().getScheme();
        this.local = "file".equals(scheme);
        this.check = local || "hdfs".equals(scheme)
                ? StatusCheck.AFTER
                : Set.of("abfs", "abfss").contains(String.valueOf(scheme)) ? StatusCheck.BEFORE : StatusCheck.NEVER;
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        ReadRange range = new ReadRange(file, offset, length);
        range.checkTarget(target, at);
        fetch(range, target, at, scope);
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        ReadRange range = ReadRange.tail(file, length);
        byte[] target = new byte[length];
        FileStatus status = fetch(range, target, 0, scope);
        return new FileTail(pinned(file, status), target);
    }

    /** Returns the file's status, or {@code null} when it is not asked for. */
    private FileStatus fetch(ReadRange range, byte[] target, int at, ReadScope scope) throws IOException {
        throwIfCancelled(range, 0, scope);
        Path path = new Path(range.file().path());
        try {
            scope.requestSent();
            FileStatus status = check == StatusCheck.BEFORE ? checked(range.file(), fs.getFileStatus(path)) : null;
            try (FSDataInputStream in = open(path, range.file(), status)) {
                if (local) {
                    readLocal(in, range, target, at, scope);
                } else {
                    in.readFully(range.offset(), target, at, range.length());
                }
            }
            if (check == StatusCheck.AFTER) {
                status = checked(range.file(), fs.getFileStatus(path));
            }
            throwIfCancelled(range, range.length(), scope);
            scope.received(range.length());
            return status;
        } catch (EOFException e) {
            checked(range.file(), status(path, range, e));
            throw new IOException("file ends early: " + range.describe(0) + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw translate(e, range);
        }
    }

    /** Sequential calls, not positioned ones: a checksummed local stream opens both its files again for each of those. */
    private static void readLocal(FSDataInputStream in, ReadRange range, byte[] target, int at, ReadScope scope)
            throws IOException {
        in.seek(range.offset());
        int done = 0;
        while (done < range.length()) {
            throwIfCancelled(range, done, scope);
            int n = in.read(target, at + done, Math.min(LOCAL_PIECE, range.length() - done));
            if (n < 0) {
                throw new EOFException("got " + done + " of " + range.length() + " bytes");
            }
            done += n;
        }
    }

    private FSDataInputStream open(Path path, FileRef file, FileStatus status) throws IOException {
        FutureDataInputStreamBuilder builder = fs.openFile(path)
                .opt(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, READ_POLICY)
                .opt(OpenFileOptions.FS_OPTION_OPENFILE_LENGTH, Long.toString(file.length()));
        if (status != null) {
            builder.withFileStatus(status);
        }
        return FutureIO.awaitFuture(builder.build());
    }

    private static FileStatus checked(FileRef file, FileStatus status) throws FileChangedException {
        String etag = etag(status);
        boolean changed = status.getLen() != file.length()
                || (file.modificationTime() != 0
                        && status.getModificationTime() != 0
                        && status.getModificationTime() != file.modificationTime())
                || (file.etag() != null && etag != null && !EntityTags.same(etag, file.etag()));
        if (changed) {
            throw new FileChangedException(file.path() + " changed: expected "
                    + version(file.length(), file.modificationTime(), file.etag()) + ", found "
                    + version(status.getLen(), status.getModificationTime(), etag));
        }
        return status;
    }

    private static String version(long length, long modificationTime, String etag) {
        String version = length + " bytes, modified at " + modificationTime + " ms";
        return etag == null ? version : version + ", version " + etag;
    }

    private static String etag(FileStatus status) {
        return status instanceof EtagSource source ? source.getEtag() : null;
    }

    private static FileRef pinned(FileRef file, FileStatus status) {
        if (status == null) {
            return file;
        }
        long time = file.modificationTime() != 0 ? file.modificationTime() : status.getModificationTime();
        String etag = file.etag() != null ? file.etag() : etag(status);
        return new FileRef(file.path(), file.length(), time, etag);
    }

    private FileStatus status(Path path, ReadRange range, EOFException because) throws IOException {
        try {
            return fs.getFileStatus(path);
        } catch (IOException e) {
            because.addSuppressed(e);
            throw translate(e, range);
        }
    }

    private static void throwIfCancelled(ReadRange range, int done, ReadScope scope) throws ReadCancelledException {
        if (scope.cancelled()) {
            throw new ReadCancelledException("cancelled: " + range.describe(done));
        }
    }

    private static IOException translate(IOException e, ReadRange range) {
        String path = range.file().path();
        if (e instanceof FileChangedException || e instanceof ReadCancelledException) {
            return e;
        }
        if (e instanceof FileNotFoundException) {
            FileNotFoundException missing =
                    new FileNotFoundException("no such file: " + path + ". It was there when the scan was planned");
            missing.initCause(e);
            return missing;
        }
        if (e instanceof AccessControlException || e instanceof AccessDeniedException) {
            AccessDeniedException denied = new AccessDeniedException(path, null, e.getMessage());
            denied.initCause(e);
            return denied;
        }
        // The second is how the HDFS client says that somebody closed its file system.
        if (e instanceof ChecksumException || "Filesystem closed".equals(e.getMessage())) {
            return new UnrecoverableReadException("cannot read " + range.describe(0) + ": " + e.getMessage(), e);
        }
        return new IOException("read failed: " + range.describe(0) + ": " + e.getMessage(), e);
    }
}
