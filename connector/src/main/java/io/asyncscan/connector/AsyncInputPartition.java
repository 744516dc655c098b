// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ReadUnit;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * What one task reads, with everything an executor needs for it.
 *
 * @param units in the order in which they are read
 * @param hosts where most of it lies, for file systems that know
 */
record AsyncInputPartition(List<ReadUnit> units, List<String> hosts) implements InputPartition {
    private static final long serialVersionUID = 1L;

    @Override
    public String[] preferredLocations() {
        return hosts.toArray(new String[0]);
    }
}
