// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * A stream over a {@link FileView}: plain, positioned, ByteBuffer and vectored reads. Vectored reads hand out slices of
 * the fetched buffers without copying. Closing it does not close the view, because a reader may open a file twice.
 */
final class ViewInputStream extends FSInputStream implements ByteBufferReadable, StreamCapabilities {
    private final FileView view;
    private final byte[] one = new byte[1];
    private long position;
    private boolean closed;

    ViewInputStream(FileView view) {
        this.view = view;
    }

    @Override
    public int read() throws IOException {
        int count = read(one, 0, 1);
        return count < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int at, int count) throws IOException {
        checkOpen();
        int got = view.read(position, target, at, count);
        if (got > 0) {
            position += got;
        }
        return got;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        checkOpen();
        int count = target.remaining();
        if (count == 0) {
            return 0;
        }
        int got;
        if (target.hasArray()) {
            got = view.read(position, target.array(), target.arrayOffset() + target.position(), count);
            if (got > 0) {
                target.position(target.position() + got);
            }
        } else {
            byte[] copy = new byte[Math.min(count, 1 << 16)];
            got = view.read(position, copy, 0, copy.length);
            if (got > 0) {
                target.put(copy, 0, got);
            }
        }
        if (got > 0) {
            position += got;
        }
        return got;
    }

    @Override
    public int read(long from, byte[] target, int at, int count) throws IOException {
        checkOpen();
        validatePositionedReadArgs(from, target, at, count);
        return view.read(from, target, at, count);
    }

    @Override
    public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        checkOpen();
        for (FileRange range : ranges) {
            if (range.getOffset() < 0 || range.getOffset() + range.getLength() > view.length()) {
                throw new EOFException(
                        "range " + range + " is not within the " + view.length() + " bytes of " + view.path());
            }
        }
        for (FileRange range : ranges) {
            ByteBuffer bytes = view.slice(range.getOffset(), range.getLength());
            if (bytes == null) {
                bytes = allocate.apply(range.getLength());
                byte[] copy = new byte[range.getLength()];
                readFully(range.getOffset(), copy, 0, copy.length);
                bytes.put(copy).flip();
            }
            range.setData(CompletableFuture.completedFuture(bytes));
        }
    }

    @Override
    public void seek(long to) throws IOException {
        checkOpen();
        if (to < 0 || to > view.length()) {
            throw new EOFException("cannot seek to " + to + " in the " + view.length() + " bytes of " + view.path());
        }
        position = to;
    }

    @Override
    public long getPos() {
        return position;
    }

    @Override
    public boolean seekToNewSource(long to) {
        return false;
    }

    @Override
    public int available() throws IOException {
        checkOpen();
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, view.length() - position));
    }

    @Override
    public boolean hasCapability(String capability) {
        return capability.equals(StreamCapabilities.READBYTEBUFFER) || capability.equals(StreamCapabilities.VECTOREDIO);
    }

    @Override
    public void close() {
        closed = true;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("stream of " + view.path() + " is closed");
        }
    }
}
