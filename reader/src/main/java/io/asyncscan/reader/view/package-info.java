// SPDX-License-Identifier: Apache-2.0
/** The file system and the stream through which a reader sees fetched bytes at their original offsets. */
package io.asyncscan.reader.view;
