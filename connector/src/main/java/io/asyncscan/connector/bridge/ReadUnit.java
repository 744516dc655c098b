// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.scan.ScanUnit;
import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * One reader call of a task.
 *
 * @param unit what of which file
 * @param url the file's path as Spark shows it, percent-encoded
 * @param partitionValues of the file's directory, for the partition columns the scan reads
 */
public record ReadUnit(ScanUnit unit, String url, InternalRow partitionValues) implements Serializable {
    private static final long serialVersionUID = 1L;
}
