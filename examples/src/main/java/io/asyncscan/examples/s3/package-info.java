// SPDX-License-Identifier: Apache-2.0
/**
 * An S3 server inside this process that answers like S3: signatures are checked, the first byte takes its time, a
 * connection and the whole link have a bandwidth. It counts what it serves.
 */
package io.asyncscan.examples.s3;
