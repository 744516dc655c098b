// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.AbstractAsyncScanBuilder;
import io.asyncscan.connector.bridge.FileRelation;
import io.asyncscan.connector.options.ReadOptions;
import org.apache.spark.sql.connector.read.Scan;

/** Makes a scan of what Spark pushed down. */
final class AsyncScanBuilder extends AbstractAsyncScanBuilder {
    private final ReadOptions options;

    AsyncScanBuilder(FileRelation relation, ReadOptions options) {
        super(relation);
        this.options = options;
    }

    @Override
    protected Scan build(PushedDown pushed) {
        return new AsyncScan(pushed, options);
    }
}
