// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.csv.LinesTaskScan;
import io.asyncscan.reader.csv.SplitTails;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * Splits of files of lines.
 *
 * @param readsHead whether the reader looks at a file's first line also where it decodes a later part of it
 */
record LinesTask(boolean readsHead) implements TaskFormat {
    private static final long serialVersionUID = 1L;

    @Override
    public TaskScan open(List<ScanUnit> units, ScanServices services, Configuration conf) {
        return new LinesTaskScan(units, services, new SplitTails(conf), readsHead);
    }
}
