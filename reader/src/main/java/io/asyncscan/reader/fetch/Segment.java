// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

/**
 * A contiguous piece of a file in memory. The array is allocated by the first request that fills it, on a pool thread,
 * so that the task thread does not pay for zeroing it. Once dropped it stays so: nobody who comes late reads zeros.
 */
public final class Segment {
    private final long offset;
    private final int length;

    /** Where the array comes from; null to allocate one of just the length. */
    private final BufferPool pool;

    /** Allocated once, under this object's monitor; dropped when the job's last holder is gone. */
    private byte[] bytes;

    private boolean dropped;

    Segment(long offset, int length, BufferPool pool) {
        this.offset = offset;
        this.length = length;
        this.pool = pool;
    }

    /** A segment whose bytes are there already; {@code bytes} is not copied. */
    public static Segment of(long offset, byte[] bytes) {
        Segment segment = new Segment(offset, bytes.length, null);
        segment.bytes = bytes;
        return segment;
    }

    /** Offset in the file of the first byte. */
    public long offset() {
        return offset;
    }

    /** Number of bytes. */
    public int length() {
        return length;
    }

    /** Offset in the file of the first byte behind the segment. */
    public long end() {
        return offset + length;
    }

    /** The bytes, in an array that may be longer; complete only when the job that owns the segment is. */
    public synchronized byte[] bytes() {
        if (dropped) {
            throw new IllegalStateException("the bytes at " + offset + " were released");
        }
        if (bytes == null) {
            bytes = pool == null ? new byte[length] : pool.take(length);
        }
        return bytes;
    }

    /**
     * Forgets the bytes.
     *
     * @param clean nothing can write into the array any more, so it may serve again
     */
    synchronized void drop(boolean clean) {
        if (clean && !dropped && pool != null && bytes != null) {
            pool.give(bytes);
        }
        dropped = true;
        bytes = null;
    }
}
