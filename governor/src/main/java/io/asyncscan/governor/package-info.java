// SPDX-License-Identifier: Apache-2.0
/** Budgets and leases of read-ahead memory. */
package io.asyncscan.governor;
