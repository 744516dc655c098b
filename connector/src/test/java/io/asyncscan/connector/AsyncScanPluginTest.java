// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.asyncscan.reader.fetch.ExecutorResources;
import java.util.Map;
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
        assertEquals(
                AsyncScanPlugin.gauges().keySet(), context.registry.getGauges().keySet());
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
