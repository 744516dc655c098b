// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import java.io.Serializable;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** What a task does for the files of one format: the part of a {@link ReadTask} that knows what their bytes mean. */
interface TaskFormat extends Serializable {

    /**
     * The scan of one task.
     *
     * @param conf the configuration Spark's reader was built with
     */
    TaskScan open(List<ScanUnit> units, ScanServices services, Configuration conf);
}
