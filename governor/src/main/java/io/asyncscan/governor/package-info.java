// SPDX-License-Identifier: Apache-2.0
/**
 * How much memory read-ahead may hold.
 *
 * <p>{@link io.asyncscan.governor.ExecutorBudget} is the account of all read-ahead of an executor,
 * {@link io.asyncscan.governor.TaskBudget} that of one task, and {@link io.asyncscan.governor.Lease} what one job holds
 * of both. {@link io.asyncscan.governor.TaskMemory} is the port to whoever really owns the task's memory.
 */
package io.asyncscan.governor;
