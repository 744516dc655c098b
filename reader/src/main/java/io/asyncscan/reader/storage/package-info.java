// SPDX-License-Identifier: Apache-2.0
/** Ports and adapters to S3 and Hadoop file systems: versions, ranges, planning of ranges, retries. */
package io.asyncscan.reader.storage;
