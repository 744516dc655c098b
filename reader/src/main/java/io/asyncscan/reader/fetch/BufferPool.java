// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Arrays that are used again: a new one is zeroed before its first byte arrives, and one of a megabyte is a humongous
 * object to the garbage collector. Thread-safe.
 *
 * <p>Sizes are rounded up to {@linkplain #capacity classes}, eight between two powers of two, so hardly more than an eighth
 * of an array is not used; jobs are charged for all of it. Free arrays are nobody's memory: they are few ({@link #maxFree}),
 * {@link #trim} drops them when the executor's I/O threads have gone idle, and the garbage collector when the heap is full.
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

    /**
     * The free arrays, softly: before the JVM says that the heap is out of memory, it has forgotten them. Guarded by this
     * object's monitor, as is what is on the shelf.
     */
    private SoftReference<Shelf> shelf = new SoftReference<>(new Shelf());

    private static final class Shelf {
        /** Free arrays by length. */
        private final Map<Integer, ArrayDeque<byte[]>> classes = new HashMap<>();

        /** Bytes of the free arrays, at most {@link #maxFree}. */
        private long free;
    }

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
            Shelf now = shelf();
            ArrayDeque<byte[]> same = now.classes.get(capacity);
            known = same == null ? null : same.pollLast();
            if (known != null) {
                now.free -= capacity;
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
            Shelf now = shelf();
            if (now.free + bytes.length <= maxFree) {
                now.classes
                        .computeIfAbsent(bytes.length, length -> new ArrayDeque<>())
                        .addLast(bytes);
                now.free += bytes.length;
            }
        }
    }

    /** Forgets all free arrays; the garbage collector does the same, by clearing what it finds softly reachable. */
    synchronized void trim() {
        shelf.clear();
    }

    /** Bytes of the arrays that wait to be used again. */
    public synchronized long free() {
        return shelf().free;
    }

    private Shelf shelf() {
        Shelf now = shelf.get();
        if (now == null) {
            now = new Shelf();
            shelf = new SoftReference<>(now);
        }
        return now;
    }
}
