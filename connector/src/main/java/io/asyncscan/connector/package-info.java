// SPDX-License-Identifier: Apache-2.0
/** The DataSource V2 connector: data source, table, scan, partitions, readers and metrics. */
package io.asyncscan.connector;
