// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** How much of this JVM's heap is in use after collections, and how long they take. Safe from any thread. */
final class HeapWatch {
    private final Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    private final AtomicLong peak = new AtomicLong();
    private long gcMillisBefore;

    /** Watches from now to the end of the JVM. */
    HeapWatch() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener(
                            (notification, handback) -> note(
                                    GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())),
                            notification -> notification
                                    .getType()
                                    .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
                            null);
        }
        reset();
    }

    private void note(GarbageCollectionNotificationInfo collection) {
        long used = 0;
        for (Map.Entry<String, MemoryUsage> pool :
                collection.getGcInfo().getMemoryUsageAfterGc().entrySet()) {
            if (heapPools.contains(pool.getKey())) {
                used += pool.getValue().getUsed();
            }
        }
        peak.accumulateAndGet(used, Math::max);
    }

    /** Forgets what was. */
    void reset() {
        gcMillisBefore = gcMillis();
        peak.set(0);
    }

    /** Most bytes in use after a collection since the reset; 0 if there was none. */
    long peakAfterGc() {
        return peak.get();
    }

    /** Seconds of collections since the reset. */
    double gcSeconds() {
        return (double) (gcMillis() - gcMillisBefore) / 1e3;
    }

    private static long gcMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
