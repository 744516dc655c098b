// SPDX-License-Identifier: Apache-2.0
/**
 * What a Parquet file needs: footers, pruning, which byte ranges each row group needs, and the trimmed footer that a
 * reader of a run of row groups is shown.
 *
 * <p>Planning is pure: {@link io.asyncscan.reader.parquet.ParquetPlanner} turns footer bytes into
 * {@link io.asyncscan.reader.parquet.RunPlan}s without I/O, on the driver or in a task. A plan that is too small costs
 * a synchronous read, one that is too large costs bytes; neither can change a row, because the reader decides itself
 * what it reads.
 */
package io.asyncscan.reader.parquet;
