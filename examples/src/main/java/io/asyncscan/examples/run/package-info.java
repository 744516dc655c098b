// SPDX-License-Identifier: Apache-2.0
/** Runs a query with one reader or another and measures it. */
package io.asyncscan.examples.run;
