// SPDX-License-Identifier: Apache-2.0
/** The tie to Spark's task memory manager: the only place of the governor that imports Spark. */
package io.asyncscan.governor.task;
