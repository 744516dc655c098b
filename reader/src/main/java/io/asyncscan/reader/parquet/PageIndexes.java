// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.ByteRange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexFilter;
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexStore;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.internal.hadoop.metadata.IndexReference;

/**
 * The page indexes of one row group, as far as its bytes are at hand: which pages a predicate leaves over, and the byte
 * ranges of those. The rules are those of parquet-java's {@code ParquetFileReader}, so that the ranges are the ones it
 * will ask for.
 */
final class PageIndexes implements ColumnIndexStore {
    /** The bytes before the footer that came with it. */
    private final byte[] bytes;

    private final long bytesOffset;
    private final Map<ColumnPath, ColumnChunkMetaData> chunks = new HashMap<>();
    private final Map<ColumnPath, OffsetIndex> offsetIndexes = new HashMap<>();

    private PageIndexes(byte[] bytes, long bytesOffset) {
        this.bytes = bytes;
        this.bytesOffset = bytesOffset;
    }

    /**
     * The parts of the file where the indexes lie that a reader will ask for: the offset index of every requested
     * column, the column index of those the predicate looks at. Nothing if one is not there: the reader then reads all
     * pages.
     */
    static Optional<List<ByteRange>> locations(
            BlockMetaData block, Set<ColumnPath> requested, Set<ColumnPath> filtered) {
        List<ByteRange> result = new ArrayList<>();
        for (ColumnChunkMetaData chunk : block.getColumns()) {
            if (!requested.contains(chunk.getPath())) {
                continue;
            }
            IndexReference offsets = chunk.getOffsetIndexReference();
            if (offsets == null || offsets.getLength() <= 0) {
                return Optional.empty();
            }
            result.add(new ByteRange(offsets.getOffset(), offsets.getLength()));
            IndexReference columns = chunk.getColumnIndexReference();
            if (filtered.contains(chunk.getPath()) && columns != null && columns.getLength() > 0) {
                result.add(new ByteRange(columns.getOffset(), columns.getLength()));
            }
        }
        return Optional.of(result);
    }

    /**
     * Reads the offset indexes out of {@code bytes}; all {@link #locations} lie within them.
     *
     * @param bytesOffset where {@code bytes} starts in the file
     * @return nothing if one cannot be read: parquet-java takes such an index for none and reads all pages
     */
    static Optional<PageIndexes> read(BlockMetaData block, Set<ColumnPath> requested, byte[] bytes, long bytesOffset) {
        PageIndexes indexes = new PageIndexes(bytes, bytesOffset);
        for (ColumnChunkMetaData chunk : block.getColumns()) {
            if (requested.contains(chunk.getPath())) {
                indexes.chunks.put(chunk.getPath(), chunk);
                try {
                    indexes.offsetIndexes.put(
                            chunk.getPath(),
                            ParquetMetadataConverter.fromParquetOffsetIndex(
                                    Util.readOffsetIndex(indexes.stream(chunk.getOffsetIndexReference()))));
                } catch (IOException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(indexes);
    }

    private ByteArrayInputStream stream(IndexReference at) {
        return new ByteArrayInputStream(bytes, Math.toIntExact(at.getOffset() - bytesOffset), at.getLength());
    }

    /** The rows of the row group that the predicate leaves over. */
    RowRanges rows(FilterPredicate predicate, long rowCount) {
        return ColumnIndexFilter.calculateRowRanges(
                FilterCompat.get(predicate), this, offsetIndexes.keySet(), rowCount);
    }

    /** The byte ranges of the pages of {@code chunk} that hold {@code rows}, with its dictionary page. */
    List<ByteRange> pages(ColumnChunkMetaData chunk, RowRanges rows, long rowCount) {
        OffsetIndex index = offsetIndexes.get(chunk.getPath());
        List<ByteRange> result = new ArrayList<>();
        for (int page = 0; page < index.getPageCount(); page++) {
            long first = index.getFirstRowIndex(page);
            if (rows.isOverlapping(first, index.getLastRowIndex(page, rowCount))) {
                result.add(new ByteRange(index.getOffset(page), index.getCompressedPageSize(page)));
            }
        }
        long start = chunk.getStartingPos();
        if (!result.isEmpty() && start < index.getOffset(0)) {
            result.add(0, ByteRange.between(start, index.getOffset(0)));
        }
        return result;
    }

    @Override
    public ColumnIndex getColumnIndex(ColumnPath path) {
        ColumnChunkMetaData chunk = chunks.get(path);
        IndexReference at = chunk == null ? null : chunk.getColumnIndexReference();
        if (at == null || at.getLength() <= 0) {
            return null;
        }
        try {
            return ParquetMetadataConverter.fromParquetColumnIndex(
                    chunk.getPrimitiveType(), Util.readColumnIndex(stream(at)));
        } catch (IOException e) {
            // As with an offset index.
            return null;
        }
    }

    @Override
    public OffsetIndex getOffsetIndex(ColumnPath path) {
        return offsetIndexes.get(path);
    }
}
