// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import org.apache.spark.sql.internal.connector.SupportsMetadata;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A scan that says in {@code EXPLAIN FORMATTED} what it does, one line a property.
 *
 * <p>Internals: {@link SupportsMetadata}, the only way to get more than one line into a plan.
 */
public abstract class ExplainedScan implements SupportsMetadata {
    /** For the scan. */
    protected ExplainedScan() {}

    /** What to show, by name. Nothing secret. */
    protected abstract java.util.Map<String, String> properties();

    @Override
    public final Map<String, String> getMetaData() {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(properties()));
    }
}
