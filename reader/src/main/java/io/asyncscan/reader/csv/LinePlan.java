// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.csv;

import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which bytes of a file a split of it may need. Pure.
 *
 * <p>A reader of lines starts at the first byte of its split, skips the line it lands in unless that is the file's first
 * one, and goes on behind its last byte up to the end of the line that begins there or reaches over it. How far that is
 * nobody knows in advance. So the plan has the split and a <i>tail</i> behind it, which are fetched together, and then
 * the <i>rest</i>: ranges that are fetched only when the reader gets to them, each twice as long as the one before.
 *
 * <p>Example, a tail of 64 KiB, a split of bytes 0 to 100 MiB of a file of 1 GiB: fetched ahead are 100 MiB + 64 KiB; if the
 * last line is longer than the tail, 64 KiB more, then 128, 256, … up to {@link #LONGEST_STEP}, as far as a line may reach.
 *
 * @param file the file
 * @param head the beginning of the file, for a reader that looks at its first line whichever the split; empty if it does
 *     not, or if the split begins there
 * @param own the split and its tail
 * @param end first byte behind the split; the bytes of {@link #own} from there on are over-read
 * @param rest what follows, in the order in which a long line would reach it
 */
record LinePlan(FileRef file, Optional<ByteRange> head, ByteRange own, long end, List<ByteRange> rest) {
    /** The first line of a file is expected to end within so many bytes: one buffer of the reader. */
    static final long HEAD = 64 << 10;

    /** Longest range that is fetched because a line goes on (bytes): the line before it is as long already. */
    static final long LONGEST_STEP = 64 << 20;

    /** A line may not be longer (bytes): Hadoop's reader keeps it in one array. */
    private static final long LONGEST_LINE = Integer.MAX_VALUE;

    /**
     * The plan of a split.
     *
     * @param tail bytes behind the split that the reader is expected to look at, at least 1
     * @param readsHead whether the reader looks at the file's first line
     */
    static LinePlan of(FileSplit split, long tail, boolean readsHead) {
        FileRef file = split.file();
        long length = file.length();
        long ownEnd = Math.min(length, split.to() + tail);
        List<ByteRange> rest = new ArrayList<>();
        long limit = Math.min(length, split.to() + LONGEST_LINE);
        long step = tail;
        for (long at = ownEnd; at < limit; at += step, step = Math.min(2 * step, Math.max(tail, LONGEST_STEP))) {
            rest.add(ByteRange.between(at, Math.min(length, at + step)));
        }
        Optional<ByteRange> head = readsHead && split.from() > 0
                ? Optional.of(ByteRange.between(0, Math.min(HEAD, split.from())))
                : Optional.empty();
        return new LinePlan(file, head, ByteRange.between(split.from(), ownEnd), split.to(), List.copyOf(rest));
    }

    /** How many bytes of {@code range} are the split's own. */
    long wanted(ByteRange range) {
        return Math.max(0, Math.min(range.end(), end) - range.offset());
    }
}
