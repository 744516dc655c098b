// SPDX-License-Identifier: Apache-2.0
/**
 * The ASYNC pool, the jobs it fetches, and the read-ahead queue of a task.
 *
 * <p>A {@link io.asyncscan.reader.fetch.FetchJob} is planned, admitted (memory reserved, requests handed to the pool),
 * claimed by the task thread and released. Everything of a job's life except its requests happens on the task thread;
 * the pool's threads run requests, count down and hand over, and never wait for anything but bytes.
 */
package io.asyncscan.reader.fetch;
