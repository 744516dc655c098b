// SPDX-License-Identifier: Apache-2.0
/** TPC-H's lineitem as Parquet, and the queries that are run on it. */
package io.asyncscan.examples.tpch;
