// SPDX-License-Identifier: Apache-2.0
/**
 * The only place that touches Spark's internals. Each class says which and why; all of them have the same binary
 * signatures in Spark 4.0, 4.1 and 4.2.
 */
package io.asyncscan.connector.bridge;
