// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/**
 * asyncscan's metrics on a node of a plan. Made on the driver; a copy travels to each task, and what the task adds comes
 * back with its result.
 *
 * <p>Internals: {@link SQLMetric} and {@link SQLMetrics}, the accumulators behind the numbers of the SQL tab. They are
 * made as those of a version 2 scan are, so that the tab adds them up in the same way.
 */
final class NodeMetrics implements Serializable {
    private static final long serialVersionUID = 1L;

    private final MetricSource source;
    private final HashMap<String, SQLMetric> metrics = new HashMap<>();

    NodeMetrics(MetricSource source, SparkContext context) {
        this.source = source;
        for (CustomMetric metric : source.all()) {
            metrics.put(metric.name(), SQLMetrics.createV2CustomMetric(context, metric));
        }
    }

    scala.collection.immutable.Map<String, SQLMetric> byName() {
        return Map$.MODULE$.from(CollectionConverters.asScala(metrics));
    }

    /** The metrics of one partition scan of a task, of which there may be several. */
    Task ofTask() {
        return new Task();
    }

    /** Adds what one partition scan counted. Used by the task's thread. */
    final class Task {
        private final Map<String, Long> reported = new HashMap<>();

        /** Brings the metrics up to what {@code counters} have now. */
        void report(ScanCounters counters) {
            for (CustomTaskMetric now : source.ofTask(counters)) {
                SQLMetric metric = metrics.get(now.name());
                if (source.isLargest(now.name())) {
                    metric.set(Math.max(metric.value(), now.value()));
                } else {
                    long before = reported.getOrDefault(now.name(), 0L);
                    metric.add(now.value() - before);
                    reported.put(now.name(), now.value());
                }
            }
        }
    }
}
