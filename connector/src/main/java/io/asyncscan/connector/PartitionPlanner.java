// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ScanSupport.ListedFile;
import java.util.List;
import java.util.OptionalLong;

/** Plans the partitions of one scan on the driver. Called by one thread at a time; may be called again. */
interface PartitionPlanner {

    /**
     * The partitions of a scan.
     *
     * @param rows rows of all partitions; nothing if that is not known
     * @param rowGroupsPruned row groups that filters ruled out
     * @param planningMillis time it took (ms)
     * @param requests requests it took
     * @param bytesFetched bytes these brought
     */
    record Plan(
            List<AsyncInputPartition> partitions,
            OptionalLong rows,
            long rowGroupsPruned,
            long planningMillis,
            long requests,
            long bytesFetched) {}

    /** Plans {@code files}. May block; an interrupt ends it. */
    Plan plan(List<ListedFile> files);
}
