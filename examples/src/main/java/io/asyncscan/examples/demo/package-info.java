// SPDX-License-Identifier: Apache-2.0
/** The demo: one query, two readers, a store that answers like S3. */
package io.asyncscan.examples.demo;
