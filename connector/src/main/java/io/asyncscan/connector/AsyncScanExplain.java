// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ReadExplanation;

/**
 * Lets {@code EXPLAIN} and the SQL tab say of each file scan whether it reads ahead, and if not, why:
 *
 * <pre>spark.sql.extendedExplainProviders=io.asyncscan.connector.AsyncScanExplain</pre>
 *
 * <p>Plans stay as they are; the lines come below them.
 */
public final class AsyncScanExplain extends ReadExplanation {
    /** Made by Spark, by reflection. */
    public AsyncScanExplain() {}
}
