// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.parquet.ParquetNeeds.FilterLevels;
import io.asyncscan.reader.view.FileView;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.util.HadoopStreams;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/**
 * Rules row groups of a run out by their dictionaries and bloom filters, once those are there and before any data is
 * fetched. It asks parquet-java, which the reader will ask again.
 */
final class RunPruner {
    private RunPruner() {}

    /**
     * Where the row groups start that are left over.
     *
     * @param view a view of the run whose metadata job is complete
     */
    static Set<Long> survivors(FileView view, FilterPredicate predicate, FilterLevels levels) throws IOException {
        ParquetReadOptions options = ParquetReadOptions.builder()
                .withRecordFilter(FilterCompat.get(predicate))
                .useStatsFilter(levels.statistics())
                .useDictionaryFilter(levels.dictionary())
                .useBloomFilter(levels.bloom())
                .useColumnIndexFilter(false)
                // Leaves out the filler row group, as the reader's split does.
                .withRange(0, view.length())
                .build();
        try (ParquetFileReader reader = new ParquetFileReader(new ViewFile(view), options)) {
            Set<Long> starts = new HashSet<>();
            for (BlockMetaData block : reader.getRowGroups()) {
                starts.add(block.getStartingPos());
            }
            return starts;
        }
    }

    private record ViewFile(FileView view) implements InputFile {
        @Override
        public long getLength() {
            return view.length();
        }

        @Override
        public SeekableInputStream newStream() throws IOException {
            return HadoopStreams.wrap(view.open());
        }
    }
}
