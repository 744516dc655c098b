// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.ByteRange;
import java.util.List;

/**
 * One row group as planned.
 *
 * @param shown what of it the reader is shown
 * @param start where it starts in the file (bytes)
 * @param end where it ends (bytes)
 * @param rows its rows
 * @param survives whether anything of it has to be decoded
 * @param data byte ranges of the pages to decode, ascending; touching ones joined; empty if no column is requested
 * @param indexes where the page indexes lie that the reader will ask for
 * @param packed whether all columns to decode are compressed
 * @param metadata where the dictionaries and bloom filters lie that the reader will ask for before any data
 */
record RowGroupPlan(
        TrimmedFooter.Shown shown,
        long start,
        long end,
        long rows,
        boolean survives,
        List<ByteRange> data,
        boolean packed,
        List<ByteRange> indexes,
        List<ByteRange> metadata) {

    long dataBytes() {
        long sum = 0;
        for (ByteRange range : data) {
            sum += range.length();
        }
        return sum;
    }
}
