// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ExecutorMemory;
import io.asyncscan.reader.fetch.ExecutorResources;
import io.asyncscan.reader.fetch.ExecutorState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Gauges of what asyncscan does in each executor, in Spark's metrics system: {@code
 * spark.plugins=io.asyncscan.connector.AsyncScanPlugin}. Sinks, Prometheus among them, show them as {@code
 * plugin.io.asyncscan.connector.AsyncScanPlugin.<name>}. Reading a gauge costs a look at the open scans, and nothing is
 * counted for them that is not counted anyway. Scans work the same without the plugin.
 */
public final class AsyncScanPlugin implements SparkPlugin {
    /** The gauge of what read-ahead may hold now (bytes), which Spark's memory manager says. */
    static final String BUDGET = "readAheadBudgetBytes";

    /** Made by Spark, by reflection. */
    public AsyncScanPlugin() {}

    /** Names and meanings of the gauges of asyncscan's own state; bytes and numbers of now, and totals since the executor started. */
    static Map<String, ToLongFunction<ExecutorState>> gauges() {
        Map<String, ToLongFunction<ExecutorState>> gauges = new LinkedHashMap<>();
        gauges.put("scans", ExecutorState::scans);
        gauges.put("threads", ExecutorState::threads);
        gauges.put("requestsRunning", ExecutorState::requestsRunning);
        gauges.put("requestLimit", ExecutorState::requestLimit);
        gauges.put("readAheadBytes", ExecutorState::heldBytes);
        gauges.put("readAheadPeakBytes", ExecutorState::peakBytes);
        gauges.put("freeBufferBytes", ExecutorState::freeBufferBytes);
        gauges.put("requestsTotal", state -> state.totals().requests());
        gauges.put("bytesFetchedTotal", state -> state.totals().bytesFetched());
        gauges.put("bytesGrantedTotal", state -> state.totals().bytesGranted());
        gauges.put("denialsTotal", state -> state.totals().denials());
        gauges.put("jobsDroppedTotal", state -> state.totals().jobsDropped());
        gauges.put("stallMillisTotal", state -> state.totals().stallNanos() / 1_000_000);
        gauges.put("retriesTotal", state -> state.totals().retries());
        gauges.put("throttlesTotal", state -> state.totals().throttles());
        gauges.put("hedgesWonTotal", state -> state.totals().hedgesWon());
        return gauges;
    }

    @Override
    public DriverPlugin driverPlugin() {
        return null;
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new Gauges();
    }

    private static final class Gauges implements ExecutorPlugin {
        @Override
        public void init(PluginContext context, Map<String, String> extraConf) {
            context.metricRegistry().gauge(BUDGET, () -> ExecutorMemory::readAheadBudget);
            gauges().forEach((name, value) ->
                    context.metricRegistry().gauge(name, () -> () -> value.applyAsLong(ExecutorResources.state())));
        }
    }
}
