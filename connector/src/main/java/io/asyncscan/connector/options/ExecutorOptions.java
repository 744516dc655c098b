// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

/**
 * Options that hold for a whole executor.
 *
 * @param asyncThreads size of the ASYNC pool
 * @param memoryFraction most of the executor's free unified memory that all read-ahead together may hold, in (0, 1]
 */
public record ExecutorOptions(int asyncThreads, double memoryFraction) {}
