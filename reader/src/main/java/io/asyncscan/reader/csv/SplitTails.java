// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.SplittableCompressionCodec;

/** How far behind the end of a split its reader is expected to look. Immutable, any thread. */
public final class SplitTails {
    /** One buffer of the reader (bytes): it asks for as much behind the split, and most lines end within. */
    static final long LINE = 64 << 10;

    /**
     * Of a codec that is cut at its blocks (bytes). The reader goes on to the end of the block it is in and takes the first
     * line of the next, which has to be unpacked for that. A block of bzip2 has at most 900,000 bytes, unpacked; packed,
     * two of them usually have less than a MiB.
     */
    static final long BLOCKS = 1 << 20;

    private final CompressionCodecFactory codecs;

    /** Goes by the codecs of {@code conf} and their file endings, as the reader does. */
    public SplitTails(Configuration conf) {
        this.codecs = new CompressionCodecFactory(conf);
    }

    /** Bytes behind a split of the file at {@code path}. */
    long of(String path) {
        return codecs.getCodec(new Path(path)) instanceof SplittableCompressionCodec ? BLOCKS : LINE;
    }
}
