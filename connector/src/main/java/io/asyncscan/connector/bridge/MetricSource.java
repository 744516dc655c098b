// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import java.io.Serializable;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** The metrics of scans, as the connector defines them: the same for every way in which a scan comes about. */
public interface MetricSource extends Serializable {

    /** All metrics, for the driver. */
    CustomMetric[] all();

    /** What a task counted. */
    CustomTaskMetric[] ofTask(ScanCounters counters);

    /** The values of a task that has read partitions before: sums add up, largest values stay. */
    CustomTaskMetric[] together(CustomTaskMetric[] before, CustomTaskMetric[] now);

    /** Whether the largest value of a metric counts, not the sum. */
    boolean isLargest(String name);
}
