// SPDX-License-Identifier: Apache-2.0
/** Small jobs for spark-submit that use asyncscan as anyone would. */
package io.asyncscan.examples.jobs;
