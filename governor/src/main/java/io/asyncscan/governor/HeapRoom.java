// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;

/**
 * What is left of this JVM's heap beside the objects that live. Thread-safe.
 *
 * <p>An executor's memory manager gives away a share of the heap that is fixed when the JVM starts. What else is in the heap
 * it does not know: row groups that are decoded, broadcast tables under construction, whatever a user's code holds. In a
 * small heap they can leave less than is free by its books, and read-ahead must not take the last of it.
 */
final class HeapRoom {
    /**
     * Share of the heap that is not room: G1, the default collector, keeps a tenth for copying (G1ReservePercent) and a
     * twentieth for new objects (G1NewSizePercent); another tenth are the gaps between large arrays, which it does not move.
     */
    static final double KEPT = 0.25;

    /** G1's old generation, arrays of half a region and more among it. */
    private static final String G1_OLD = "G1 Old Gen";

    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
            .toList();

    /** Bytes that may be filled, 0 if the collector needs all that is left; most of the heap as long as it is young. */
    long bytes() {
        return room(Runtime.getRuntime().maxMemory(), live());
    }

    static long room(long max, long live) {
        return Math.max(0, (long) ((1 - KEPT) * (double) max) - live);
    }

    private long live() {
        long live = 0;
        for (MemoryPoolMXBean pool : pools) {
            live += live(
                    pool.getName(),
                    pool.getCollectionUsage().getUsed(),
                    pool.getUsage().getUsed());
        }
        return live;
    }

    /**
     * What lives in a pool, or more: what survived its last collection. Not so in the old generation of G1, which may be collected
     * for the first time when the heap is full already; there it is all that is in use. A small heap is marked again
     * and again, and dead large arrays go with each young collection, so that there is little garbage among it; in a large heap
     * the room is large all the same.
     *
     * @param collected bytes in use when the pool was collected last, 0 if it never was
     * @param used bytes in use now
     */
    static long live(String pool, long collected, long used) {
        return pool.equals(G1_OLD) ? used : Math.min(collected, used);
    }
}
