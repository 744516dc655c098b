// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.asyncscan.governor.Lease;
import io.asyncscan.governor.TaskBudget;
import io.asyncscan.governor.TaskMemory;
import io.asyncscan.reader.fetch.ExecutorResources;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.Test;

class AsyncScanPluginTest {

    @Test
    void theGaugesFollowTheExecutor() {
        Context context = new Context();
        AsyncScanPlugin plugin = new AsyncScanPlugin();
        assertNull(plugin.driverPlugin(), "nothing is read on the driver but footers");
        ExecutorPlugin executor = plugin.executorPlugin();
        executor.init(context, Map.of());
        Set<String> names = new HashSet<>(AsyncScanPlugin.gauges().keySet());
        names.add(AsyncScanPlugin.BUDGET);
        assertEquals(names, context.registry.getGauges().keySet());
        assertEquals(0, value(context, AsyncScanPlugin.BUDGET), "Spark does not run");
        long before = value(context, "requestsTotal");
        try (ExecutorResources.Handle handle = ExecutorResources.acquire(4, 2, 0.5)) {
            handle.counters().requests.add(3);
            handle.counters().stallNanos.add(5_000_000);
            assertEquals(1, value(context, "scans"));
            assertEquals(3, value(context, "requestsTotal") - before);
            assertTrue(value(context, "stallMillisTotal") >= 5);
        }
        assertEquals(0, value(context, "scans"));
        executor.shutdown();
    }

    @Test
    void theGaugesTellOfTheGovernor() {
        Context context = new Context();
        new AsyncScanPlugin().executorPlugin().init(context, Map.of());
        long granted = value(context, "bytesGrantedTotal");
        long denials = value(context, "denialsTotal");
        long dropped = value(context, "jobsDroppedTotal");
        try (ExecutorResources.Handle one = ExecutorResources.acquire(4, 2, 0.5);
                ExecutorResources.Handle two = ExecutorResources.acquire(4, 2, 0.5)) {
            one.counters().bytesGranted.add(70);
            two.counters().bytesGranted.add(30);
            one.counters().denials.increment();
            two.counters().jobsDropped.add(2);
            assertEquals(2, value(context, "scans"));
            assertEquals(100, value(context, "bytesGrantedTotal") - granted);
            assertEquals(1, value(context, "denialsTotal") - denials);
            assertEquals(2, value(context, "jobsDroppedTotal") - dropped);
            long held = value(context, "readAheadBytes");
            TaskBudget first = new TaskBudget(one.budget(), new NoMemory(), 0);
            TaskBudget second = new TaskBudget(two.budget(), new NoMemory(), 0);
            try (Lease head = first.reserveHead(500)) {
                try (Lease other = second.reserveHead(300)) {
                    assertEquals(800, head.bytes() + other.bytes());
                    assertEquals(800, value(context, "readAheadBytes") - held, "of all tasks");
                }
                assertEquals(500, value(context, "readAheadBytes") - held);
            }
            assertEquals(0, value(context, "readAheadBytes") - held);
            assertTrue(value(context, "readAheadPeakBytes") >= held + 800);
        }
        assertEquals(100, value(context, "bytesGrantedTotal") - granted, "totals stay when scans have ended");
    }

    /** A task that has nothing left: the job it needs is charged all the same. */
    private static final class NoMemory implements TaskMemory {
        @Override
        public long free() {
            return 0;
        }

        @Override
        public boolean othersHold() {
            return true;
        }

        @Override
        public long acquire(long bytes) {
            throw new AssertionError("nothing is free");
        }

        @Override
        public void release(long bytes) {
            throw new AssertionError("nothing was granted");
        }
    }

    private static long value(Context context, String gauge) {
        return (Long) context.registry.getGauges().get(gauge).getValue();
    }

    private static final class Context implements PluginContext {
        private final MetricRegistry registry = new MetricRegistry();

        @Override
        public MetricRegistry metricRegistry() {
            return registry;
        }

        @Override
        public SparkConf conf() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String executorID() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String hostname() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, ResourceInformation> resources() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void send(Object message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object ask(Object message) {
            throw new UnsupportedOperationException();
        }
    }
}
