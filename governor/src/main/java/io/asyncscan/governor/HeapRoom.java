// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
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
     * twentieth for new objects (G1NewSizePercent).
     */
    static final double KEPT = 0.15;

    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
            .toList();

    /** Bytes that may be filled, 0 if the collector needs all that is left; most of the heap before the first collection. */
    long bytes() {
        return room(Runtime.getRuntime().maxMemory(), live());
    }

    static long room(long max, long live) {
        return Math.max(0, (long) ((1 - KEPT) * (double) max) - live);
    }

    /**
     * What survived the last collection of each pool. A concurrent cycle of G1 frees regions and is not counted as a
     * collection of the old ones before JDK 20, so what a pool holds now, garbage included, is asked as well: it is never less
     * than what lives.
     */
    private long live() {
        long live = 0;
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage collected = pool.getCollectionUsage();
            live += Math.min(collected.getUsed(), pool.getUsage().getUsed());
        }
        return live;
    }
}
