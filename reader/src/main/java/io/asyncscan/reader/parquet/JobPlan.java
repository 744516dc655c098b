// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.ByteRange;
import java.io.Serializable;
import java.util.List;

/**
 * One job as planned.
 *
 * @param requests byte ranges to request, ascending, without overlap
 * @param wanted bytes of them that somebody asked for
 * @param rows rows that a reader may get out of it
 * @param rowGroupStart where the row group starts in the file (bytes); 0 for metadata
 * @param packed whether the decoder has to unpack all of the bytes before it uses them, so that nothing refers to them later
 */
public record JobPlan(List<ByteRange> requests, long wanted, long rows, long rowGroupStart, boolean packed)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Bytes that will be fetched. */
    public long bytes() {
        long sum = 0;
        for (ByteRange request : requests) {
            sum += request.length();
        }
        return sum;
    }
}
