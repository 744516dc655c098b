// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.MetricSource;
import io.asyncscan.connector.bridge.SessionExtension;

/**
 * Lets the file scans of jobs that know nothing of asyncscan read ahead:
 *
 * <pre>spark.sql.extensions=io.asyncscan.connector.AsyncScanExtensions</pre>
 *
 * <p>Each scan stays Spark's own, with its pruning, bucketing, metadata and metrics; only its bytes come through
 * asyncscan. {@code spark.asyncscan.enabled} and {@code spark.asyncscan.extensionSchemes} say which scans.
 */
public final class AsyncScanExtensions extends SessionExtension {
    private static final long serialVersionUID = 1L;

    /** Made by Spark, by reflection. */
    public AsyncScanExtensions() {}

    @Override
    protected MetricSource metrics() {
        return new ScanMetrics.Source();
    }
}
