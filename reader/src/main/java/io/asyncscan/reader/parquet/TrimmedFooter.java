// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.ColumnPath;

/**
 * The footer that a reader of a run of row groups is shown, at the place of the original one: the run's row groups and
 * columns only, everything else of the file unchanged.
 *
 * <p>It also tells the reader what not to ask for. Where a page index, a dictionary or a bloom filter cannot prune
 * anything, its location is left out, so that the reader does not fetch it; a filter then sees what it would see in a
 * file without one.
 */
final class TrimmedFooter {
    /**
     * An offset that no file reaches. The filler row group has it, so that the reader's filter by split, which goes by
     * the middle of a row group, drops it; a quarter of the range leaves the reader's sums room.
     */
    private static final long NOWHERE = Long.MAX_VALUE / 4;

    private TrimmedFooter() {}

    /**
     * What one row group shows.
     *
     * @param ordinal place of the row group in the file
     * @param pageIndex whether page indexes stay
     * @param dictionaryFilter whether dictionaries may be used to filter
     * @param bloomFilters whether bloom filters stay
     */
    record Shown(int ordinal, boolean pageIndex, boolean dictionaryFilter, boolean bloomFilters) {
        /** The same with all dictionaries and bloom filters. */
        Shown withLooks() {
            return new Shown(ordinal, pageIndex, true, true);
        }
    }

    /**
     * The footer's bytes with length and magic number, as they stand at the end of a file.
     *
     * @param original the file's footer
     * @param shown the run's row groups, in file order
     * @param columns the columns that are requested or filtered by; the first column of a row group stays in any case,
     *     because its offset says where the row group starts
     */
    static byte[] write(FileMetaData original, List<Shown> shown, Set<ColumnPath> columns) throws IOException {
        FileMetaData trimmed = copyWithoutRowGroups(original);
        List<RowGroup> groups = new ArrayList<>(shown.size() + 1);
        if (!shown.isEmpty()) {
            long rowsBefore = 0;
            for (RowGroup group :
                    original.getRow_groups().subList(0, shown.get(0).ordinal())) {
                rowsBefore += group.getNum_rows();
            }
            int previous = shown.get(0).ordinal() - 1;
            for (Shown one : shown) {
                if (one.ordinal() != previous + 1) {
                    throw new IllegalArgumentException("row groups of a run are neighbours: " + shown);
                }
                previous = one.ordinal();
                groups.add(trim(original.getRow_groups().get(one.ordinal()), one, columns));
            }
            if (rowsBefore > 0) {
                // parquet-java numbers rows by the row groups before; one stands for all of them.
                groups.add(0, filler(groups.get(0).getColumns().get(0), rowsBefore));
            }
        }
        trimmed.setRow_groups(groups);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Util.writeFileMetaData(trimmed, out);
        byte[] trailer = ByteBuffer.allocate(ParquetFooter.TRAILER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(out.size())
                .put("PAR1".getBytes(StandardCharsets.US_ASCII))
                .array();
        out.write(trailer);
        return out.toByteArray();
    }

    /** A copy of a footer without the columns that are neither requested nor filtered by. */
    static FileMetaData slim(FileMetaData original, Set<ColumnPath> columns) {
        FileMetaData slim = copyWithoutRowGroups(original);
        List<RowGroup> groups = new ArrayList<>(original.getRow_groupsSize());
        for (RowGroup group : original.getRow_groups()) {
            groups.add(trim(group, null, columns));
        }
        slim.setRow_groups(groups);
        return slim;
    }

    private static FileMetaData copyWithoutRowGroups(FileMetaData original) {
        FileMetaData copy = new FileMetaData();
        copy.setVersion(original.getVersion());
        copy.setSchema(original.getSchema());
        copy.setNum_rows(original.getNum_rows());
        copy.setKey_value_metadata(original.getKey_value_metadata());
        copy.setCreated_by(original.getCreated_by());
        copy.setColumn_orders(original.getColumn_orders());
        return copy;
    }

    /** The wanted columns of a row group; what they show is left as it is if {@code shown} is null. */
    private static RowGroup trim(RowGroup group, Shown shown, Set<ColumnPath> columns) {
        RowGroup result = new RowGroup(new ArrayList<>(), group.getTotal_byte_size(), group.getNum_rows());
        long compressed = 0;
        for (int i = 0; i < group.getColumnsSize(); i++) {
            ColumnChunk chunk = group.getColumns().get(i);
            compressed += chunk.getMeta_data().getTotal_compressed_size();
            boolean kept = columns.contains(path(chunk));
            if (i == 0 || kept) {
                result.addToColumns(shown == null ? chunk : trim(chunk, shown));
            }
        }
        if (group.isSetSorting_columns()) {
            result.setSorting_columns(group.getSorting_columns());
        }
        if (group.isSetFile_offset()) {
            result.setFile_offset(group.getFile_offset());
        }
        // Not the sum of the columns that are left: readers find the middle of the row group with it.
        result.setTotal_compressed_size(
                group.isSetTotal_compressed_size() ? group.getTotal_compressed_size() : compressed);
        if (group.isSetOrdinal()) {
            result.setOrdinal(group.getOrdinal());
        }
        return result;
    }

    static ColumnPath path(ColumnChunk chunk) {
        return ColumnPath.get(chunk.getMeta_data().getPath_in_schema().toArray(new String[0]));
    }

    private static ColumnChunk trim(ColumnChunk chunk, Shown shown) {
        ColumnChunk result = new ColumnChunk(chunk);
        if (!shown.pageIndex()) {
            result.unsetColumn_index_offset();
            result.unsetColumn_index_length();
            result.unsetOffset_index_offset();
            result.unsetOffset_index_length();
        }
        ColumnMetaData metadata = result.getMeta_data();
        if (!shown.bloomFilters()) {
            metadata.unsetBloom_filter_offset();
            metadata.unsetBloom_filter_length();
        }
        if (!shown.dictionaryFilter()) {
            // Without statistics of encodings, and with one more encoding in the list than the dictionary's, a filter
            // takes it that some pages are not dictionary encoded, and leaves the dictionary alone. Decoding goes by
            // the encoding that each page names.
            metadata.unsetEncoding_stats();
            if (!metadata.getEncodings().contains(Encoding.PLAIN)) {
                metadata.addToEncodings(Encoding.PLAIN);
            }
        }
        return result;
    }

    /** A row group that only counts rows: no bytes, and out of every split's reach. */
    private static RowGroup filler(ColumnChunk like, long rows) {
        ColumnMetaData metadata = new ColumnMetaData(like.getMeta_data());
        metadata.setTotal_compressed_size(0);
        metadata.setTotal_uncompressed_size(0);
        metadata.setNum_values(0);
        metadata.setData_page_offset(NOWHERE);
        metadata.unsetDictionary_page_offset();
        metadata.unsetStatistics();
        metadata.unsetBloom_filter_offset();
        metadata.unsetBloom_filter_length();
        ColumnChunk chunk = new ColumnChunk(NOWHERE);
        chunk.setMeta_data(metadata);
        RowGroup filler = new RowGroup(List.of(chunk), 0, rows);
        filler.setTotal_compressed_size(0);
        filler.setFile_offset(NOWHERE);
        return filler;
    }
}
