// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Arrays that are used again: a new one is zeroed before its first byte arrives, and one of a megabyte is a humongous
 * object to the garbage collector. Thread-safe.
 *
 * <p>Sizes are rounded up to {@linkplain #capacity classes}, eight between two powers of two, so hardly more than an eighth
 * of an array is not used; jobs are charged for all of it. Free arrays are nobody's memory: they are few ({@link #maxFree}), and
 * {@link #trim} drops them when the executor's I/O threads have gone idle.
 *
 * <p>An array may come back only when nothing writes into it and nobody reads it any more. What a job's buffers hold is
 * read in place by decoders, so a job gives its arrays back only if it was made {@linkplain FetchJob#reusing to}.
 */
public final class BufferPool {
    /**
     * What an array takes besides its bytes (bytes), with compressed class pointers, HotSpot's default. A garbage collector
     * that works by regions, which are powers of two, gives a large array whole ones, so sizes are rounded with it.
     */
    public static final int HEADER = 16;

    /** Shorter arrays are not worth a place: they are allocated in a thread's own buffer. */
    static final int MIN = 64 << 10;

    /** Whether pools poison their arrays unless told otherwise: set for all tests, never in production. */
    static final boolean POISON = Boolean.getBoolean("asyncscan.poison");

    static final byte POISONED = (byte) 0xDB;

    private final long maxFree;

    /**
     * Whether arrays are filled with poison when they come back, so that who reads one later does not find the right bytes,
     * and looked at when they are taken again, so that who wrote into one in between is found.
     */
    private final boolean poison;

    /** Free arrays by length. Guarded by this object's monitor, like {@link #free}. */
    private final Map<Integer, ArrayDeque<byte[]>> classes = new HashMap<>();

    /** Bytes of the free arrays, at most {@link #maxFree}. */
    private long free;

    /**
     * An empty pool.
     *
     * @param maxFree most bytes that are kept for later
     */
    public BufferPool(long maxFree) {
        this(maxFree, POISON);
    }

    BufferPool(long maxFree, boolean poison) {
        this.maxFree = maxFree;
        this.poison = poison;
    }

    /** The length of the array that {@link #take} returns for {@code length} bytes. */
    static int capacity(int length) {
        if (length < MIN) {
            return length;
        }
        long whole = (long) length + HEADER;
        long step = Long.highestOneBit(whole) >> 3;
        long rounded = (whole + step - 1) / step * step - HEADER;
        return rounded > Integer.MAX_VALUE ? length : (int) rounded;
    }

    /** An array of at least {@code length} bytes with anything in it. */
    byte[] take(int length) {
        int capacity = capacity(length);
        byte[] known;
        synchronized (this) {
            ArrayDeque<byte[]> same = classes.get(capacity);
            known = same == null ? null : same.pollLast();
            if (known != null) {
                free -= capacity;
            }
        }
        if (known == null) {
            return new byte[capacity];
        }
        if (poison) {
            requireUntouched(known);
        }
        return known;
    }

    private static void requireUntouched(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != POISONED) {
                throw new IllegalStateException("byte " + i + " of a buffer of " + bytes.length
                        + " was written after the buffer had been given back: found " + bytes[i]
                        + ", expected the poison "
                        + POISONED);
            }
        }
    }

    /** Takes back an array of {@link #take} that nobody uses any more. */
    void give(byte[] bytes) {
        if (poison) {
            Arrays.fill(bytes, POISONED);
        }
        if (bytes.length < MIN || bytes.length != capacity(bytes.length)) {
            return;
        }
        synchronized (this) {
            if (free + bytes.length <= maxFree) {
                classes.computeIfAbsent(bytes.length, length -> new ArrayDeque<>())
                        .addLast(bytes);
                free += bytes.length;
            }
        }
    }

    /** Forgets all free arrays. */
    synchronized void trim() {
        classes.clear();
        free = 0;
    }

    /** Bytes of the arrays that wait to be used again. */
    public synchronized long free() {
        return free;
    }
}
