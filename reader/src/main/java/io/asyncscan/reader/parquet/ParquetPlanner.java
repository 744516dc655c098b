// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.parquet.ParquetNeeds.FilterLevels;
import io.asyncscan.reader.storage.ByteRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.EncodingStats;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.LogicalInverseRewriter;
import org.apache.parquet.filter2.statisticslevel.StatisticsFilter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.schema.MessageType;

/**
 * Plans files: which row groups a predicate leaves over, and which bytes each needs.
 *
 * <p>Example: a file of three row groups of columns a, b, c; requested are a and c, the predicate is {@code a = 7}.
 * Row group 0 has a in [8, 9] and is ruled out. The page index of row group 1 leaves one page of five: the data ranges
 * are that page of a, the pages of c for the same rows, and both dictionaries. In row group 2 every page may match:
 * the data ranges are the whole chunks of a and c, and its page index is not shown to the reader, which would ask for
 * it in vain.
 *
 * <p>Thread-safe.
 */
public final class ParquetPlanner {
    /** Page indexes that did not come with the footer are fetched if they are at most this share of the data. */
    private static final int INDEX_SHARE = 8;

    /** Dictionaries and bloom filters are looked at first if they are at most this share of a row group's data. */
    private static final int METADATA_SHARE = 4;

    /** A bloom filter of a file that does not say its length is at most this long: parquet-java's default (bytes). */
    private static final long MAX_BLOOM_FILTER = (1 << 20) + 64;

    private final ParquetNeeds needs;
    private final long requestCost;

    /** Reads bytes of the file that is being planned. */
    public interface Fetcher {
        /** The bytes of {@code range}. */
        byte[] fetch(ByteRange range) throws IOException;
    }

    /**
     * A planner for one scan.
     *
     * @param requestCost bytes that could be fetched in the time a request takes: below it, looking before fetching
     *     costs more than it saves
     */
    public ParquetPlanner(ParquetNeeds needs, long requestCost) {
        this.needs = needs;
        this.requestCost = requestCost;
    }

    /**
     * Plans the row groups whose middle lies in {@code [from, to)}, the rule by which readers assign them to splits.
     *
     * @param fetcher asked, at most once, for page indexes that did not come with the footer
     */
    public FilePlan plan(ParquetFooter footer, long from, long to, Fetcher fetcher) throws IOException {
        MessageType schema = footer.metadata().getFileMetaData().getSchema();
        Set<ColumnPath> requested = new HashSet<>();
        for (String[] path : needs.requested(schema).getPaths()) {
            requested.add(ColumnPath.get(path));
        }
        // Filters know no NOT; readers rewrite it away, too.
        FilterPredicate predicate = needs.predicate(
                        schema, footer.metadata().getFileMetaData().getKeyValueMetaData())
                .map(LogicalInverseRewriter::rewrite)
                .orElse(null);
        PredicateTraits traits = predicate == null ? PredicateTraits.NONE : PredicateTraits.of(predicate);
        Set<ColumnPath> columns = new HashSet<>(requested);
        columns.addAll(traits.columns());

        List<BlockMetaData> blocks = footer.metadata().getBlocks();
        List<Draft> drafts = new ArrayList<>();
        long dataBytes = 0;
        for (int i = 0; i < blocks.size(); i++) {
            BlockMetaData block = blocks.get(i);
            long start = block.getStartingPos();
            long end = start + compressedSize(footer, i, block);
            long middle = start + (end - start) / 2;
            if (middle < from || middle >= to) {
                continue;
            }
            Draft draft = new Draft(i, block, start, end, requested);
            draft.survives = block.getRowCount() > 0 && !ruledOutByStatistics(predicate, block);
            drafts.add(draft);
            dataBytes += draft.survives ? draft.bytes() : 0;
        }

        FilePlan.IndexBytes indexBytes = null;
        if (predicate != null && needs.levels().columnIndex()) {
            indexBytes = indexBytes(footer, drafts, requested, traits, dataBytes, fetcher);
            for (Draft draft : drafts) {
                draft.applyPageIndex(predicate, requested, traits.columns(), indexBytes);
            }
        }
        if (traits.selective() && dataBytes >= requestCost) {
            NavigableSet<Long> landmarks = landmarks(footer);
            for (Draft draft : drafts) {
                draft.lookFirst(needs.levels(), traits.columns(), landmarks);
            }
        }
        List<RowGroupPlan> groups = new ArrayList<>(drafts.size());
        for (Draft draft : drafts) {
            groups.add(draft.plan());
        }
        return new FilePlan(footer, groups, columns, predicate, indexBytes);
    }

    private static long compressedSize(ParquetFooter footer, int ordinal, BlockMetaData block) {
        var group = footer.thrift().getRow_groups().get(ordinal);
        return group.isSetTotal_compressed_size() ? group.getTotal_compressed_size() : block.getCompressedSize();
    }

    private boolean ruledOutByStatistics(FilterPredicate predicate, BlockMetaData block) {
        return predicate != null
                && needs.levels().statistics()
                && StatisticsFilter.canDrop(predicate, block.getColumns());
    }

    /** The bytes all needed page indexes lie in, or null if they are not at hand and not worth a request. */
    private static FilePlan.IndexBytes indexBytes(
            ParquetFooter footer,
            List<Draft> drafts,
            Set<ColumnPath> requested,
            PredicateTraits traits,
            long dataBytes,
            Fetcher fetcher)
            throws IOException {
        long start = Long.MAX_VALUE;
        long end = 0;
        for (Draft draft : drafts) {
            if (!draft.survives) {
                continue;
            }
            Optional<List<ByteRange>> at = PageIndexes.locations(draft.block, requested, traits.columns());
            for (ByteRange range : at.orElse(List.of())) {
                start = Math.min(start, range.offset());
                end = Math.max(end, range.end());
            }
        }
        if (end == 0 || end > footer.offset()) {
            return null;
        }
        FilePlan.IndexBytes tail =
                new FilePlan.IndexBytes(footer.tail().offset(), footer.tail().bytes());
        ByteRange all = ByteRange.between(start, end);
        if (tail.contains(all)) {
            return tail;
        }
        return all.length() <= dataBytes / INDEX_SHARE ? new FilePlan.IndexBytes(start, fetcher.fetch(all)) : null;
    }

    /** Offsets at which something starts, to find the end of a thing that does not say its length. */
    private static NavigableSet<Long> landmarks(ParquetFooter footer) {
        NavigableSet<Long> landmarks = new TreeSet<>();
        landmarks.add(footer.offset());
        for (BlockMetaData block : footer.metadata().getBlocks()) {
            for (ColumnChunkMetaData chunk : block.getColumns()) {
                landmarks.add(chunk.getStartingPos());
                landmarks.add(chunk.getBloomFilterOffset());
                if (chunk.getOffsetIndexReference() != null) {
                    landmarks.add(chunk.getOffsetIndexReference().getOffset());
                }
                if (chunk.getColumnIndexReference() != null) {
                    landmarks.add(chunk.getColumnIndexReference().getOffset());
                }
            }
        }
        return landmarks;
    }

    /** A row group while it is being planned. */
    private static final class Draft {
        private final int ordinal;
        private final BlockMetaData block;
        private final long start;
        private final long end;
        private boolean survives;
        private List<ByteRange> data;
        private boolean packed = true;
        private List<ByteRange> indexes = List.of();
        private boolean dictionaryFilter;
        private boolean bloomFilters;
        private final List<ByteRange> metadata = new ArrayList<>();

        Draft(int ordinal, BlockMetaData block, long start, long end, Set<ColumnPath> requested) {
            this.ordinal = ordinal;
            this.block = block;
            this.start = start;
            this.end = end;
            List<ByteRange> chunks = new ArrayList<>();
            for (ColumnChunkMetaData chunk : block.getColumns()) {
                if (requested.contains(chunk.getPath()) && chunk.getTotalSize() > 0) {
                    chunks.add(new ByteRange(chunk.getStartingPos(), chunk.getTotalSize()));
                    packed &= chunk.getCodec() != CompressionCodecName.UNCOMPRESSED;
                }
            }
            this.data = FilePlan.join(chunks);
        }

        long bytes() {
            long sum = 0;
            for (ByteRange range : data) {
                sum += range.length();
            }
            return sum;
        }

        /** Narrows the data to the pages the predicate leaves over; keeps the index only where it rules something out. */
        void applyPageIndex(
                FilterPredicate predicate,
                Set<ColumnPath> requested,
                Set<ColumnPath> filtered,
                FilePlan.IndexBytes indexBytes) {
            Optional<List<ByteRange>> at = PageIndexes.locations(block, requested, filtered);
            if (!survives || indexBytes == null || at.isEmpty() || at.get().isEmpty()) {
                return;
            }
            for (ByteRange range : at.get()) {
                if (!indexBytes.contains(range)) {
                    return;
                }
            }
            Optional<PageIndexes> readable =
                    PageIndexes.read(block, requested, indexBytes.bytes(), indexBytes.offset());
            if (readable.isEmpty()) {
                return;
            }
            PageIndexes pages = readable.get();
            RowRanges rows = pages.rows(predicate, block.getRowCount());
            if (rows.rowCount() == block.getRowCount()) {
                return;
            }
            indexes = at.get();
            survives = rows.rowCount() > 0;
            List<ByteRange> kept = new ArrayList<>();
            for (ColumnChunkMetaData chunk : block.getColumns()) {
                if (survives && requested.contains(chunk.getPath())) {
                    kept.addAll(pages.pages(chunk, rows, block.getRowCount()));
                }
            }
            data = FilePlan.join(kept);
        }

        /** Decides whether dictionaries and bloom filters of the filter columns are worth a look before the data. */
        void lookFirst(FilterLevels levels, Set<ColumnPath> filtered, NavigableSet<Long> landmarks) {
            if (!survives) {
                return;
            }
            List<ByteRange> dictionaries = new ArrayList<>();
            List<ByteRange> blooms = new ArrayList<>();
            for (ColumnChunkMetaData chunk : block.getColumns()) {
                if (!filtered.contains(chunk.getPath())) {
                    continue;
                }
                long dictionary = chunk.getDictionaryPageOffset();
                if (dictionary > 0 && dictionary < chunk.getFirstDataPageOffset() && isAllDictionary(chunk)) {
                    dictionaries.add(ByteRange.between(dictionary, chunk.getFirstDataPageOffset()));
                }
                if (chunk.getBloomFilterOffset() > 0) {
                    blooms.add(bloomFilter(chunk, landmarks));
                }
            }
            dictionaryFilter = levels.dictionary() && pays(dictionaries);
            bloomFilters = levels.bloom() && pays(blooms);
            if (dictionaryFilter) {
                metadata.addAll(dictionaries);
            }
            if (bloomFilters) {
                metadata.addAll(blooms);
            }
        }

        private boolean pays(List<ByteRange> ranges) {
            long sum = 0;
            for (ByteRange range : ranges) {
                sum += range.length();
            }
            return sum > 0 && sum <= bytes() / METADATA_SHARE;
        }

        private static ByteRange bloomFilter(ColumnChunkMetaData chunk, NavigableSet<Long> landmarks) {
            long offset = chunk.getBloomFilterOffset();
            if (chunk.getBloomFilterLength() > 0) {
                return new ByteRange(offset, chunk.getBloomFilterLength());
            }
            Long next = landmarks.higher(offset);
            return ByteRange.between(offset, Math.min(next == null ? Long.MAX_VALUE : next, offset + MAX_BLOOM_FILTER));
        }

        /** Whether parquet-java's dictionary filter would read the dictionary: the rule is its own. */
        private static boolean isAllDictionary(ColumnChunkMetaData chunk) {
            EncodingStats stats = chunk.getEncodingStats();
            if (stats != null) {
                return !stats.hasNonDictionaryEncodedPages();
            }
            Set<Encoding> encodings = new HashSet<>(chunk.getEncodings());
            boolean dictionary = encodings.remove(legacyDictionaryEncoding());
            encodings.remove(Encoding.RLE);
            encodings.removeIf(encoding -> encoding.name().equals("BIT_PACKED"));
            return dictionary && encodings.isEmpty();
        }

        @SuppressWarnings("deprecation") // files of format version 1 name it
        private static Encoding legacyDictionaryEncoding() {
            return Encoding.PLAIN_DICTIONARY;
        }

        RowGroupPlan plan() {
            TrimmedFooter.Shown shown =
                    new TrimmedFooter.Shown(ordinal, !indexes.isEmpty(), dictionaryFilter, bloomFilters);
            return new RowGroupPlan(
                    shown, start, end, block.getRowCount(), survives, data, packed, indexes, List.copyOf(metadata));
        }
    }
}
