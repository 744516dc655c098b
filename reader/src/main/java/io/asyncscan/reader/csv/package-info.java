// SPDX-License-Identifier: Apache-2.0
/**
 * Files that are read line by line or as one stream (CSV, JSON lines, text, compressed or not): which ranges a part of
 * such a file needs, and the scan of a task over them. What a line is, the reader says; nothing here looks at bytes.
 */
package io.asyncscan.reader.csv;
