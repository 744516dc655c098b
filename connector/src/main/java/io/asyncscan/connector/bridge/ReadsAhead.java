// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

/** A file format of asyncscan's own: its reader function fetches ahead, whoever scans with it. */
interface ReadsAhead {}
