// SPDX-License-Identifier: Apache-2.0
/**
 * The port behind which the scan of one task stands, whatever the format: its units, what it works with, the steps the
 * decoder takes. {@code reader.parquet} and {@code reader.csv} implement it and do not know each other.
 */
package io.asyncscan.reader.scan;
