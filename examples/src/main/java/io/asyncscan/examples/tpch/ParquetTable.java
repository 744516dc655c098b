// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.tpch;

import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Iterator;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;

/**
 * Writes rows of a table of TPC-H into Parquet files: snappy, row groups of a fixed number of rows.
 *
 * @param table whose rows they are
 * @param rowsPerGroup rows of a row group
 */
record ParquetTable<E extends TpchEntity>(TpchTable<E> table, int rowsPerGroup) {
    /** How many rows pass between two reports of progress. */
    private static final int REPORT_ROWS = 1 << 16;

    /**
     * Writes one file. It appears complete or not at all; its directory has to be there.
     *
     * @param rows taken from here, at most {@code limit}
     * @param progress told the number of rows written into this file, now and then
     * @return the number of rows
     */
    long write(Iterator<E> rows, Path file, long limit, LongConsumer progress) throws IOException {
        // The dot hides an unfinished file from Spark's listing.
        Path unfinished = file.resolveSibling("." + file.getFileName() + ".unfinished");
        long written = 0;
        try {
            try (ParquetWriter<E> writer = newWriter(unfinished)) {
                while (written < limit && rows.hasNext()) {
                    writer.write(rows.next());
                    written++;
                    if (written % REPORT_ROWS == 0) {
                        progress.accept(written);
                    }
                }
            }
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(unfinished);
        }
        progress.accept(written);
        return written;
    }

    /**
     * Row groups are cut by rows, which parquet has an option for only from 1.16 on (Spark 4.0 has 1.15). Until then this
     * does it: the size of a row group is first looked at after {@code rowsPerGroup} rows, and any size is above 1 byte.
     * Pages are then cut by their row limit of 20,000 alone, as they are anyway: 20,000 comments have half a page's 1 MiB.
     */
    private ParquetWriter<E> newWriter(Path file) throws IOException {
        return new Builder<>(file, table)
                .withConf(new PlainParquetConfiguration())
                .withWriteMode(ParquetFileWriter.Mode.OVERWRITE)
                .withCompressionCodec(CompressionCodecName.SNAPPY)
                .withRowGroupSize(1L)
                .withMinRowCountForPageSizeCheck(rowsPerGroup)
                .withMaxRowCountForPageSizeCheck(rowsPerGroup)
                .build();
    }

    private static final class Builder<E extends TpchEntity> extends ParquetWriter.Builder<E, Builder<E>> {
        private final TpchTable<E> table;

        Builder(Path file, TpchTable<E> table) {
            super(new LocalOutputFile(file));
            this.table = table;
        }

        @Override
        protected Builder<E> self() {
            return this;
        }

        @Override
        @SuppressWarnings("deprecation") // abstract above, but only its sibling below is called
        protected WriteSupport<E> getWriteSupport(Configuration conf) {
            return new TableWriteSupport<>(table);
        }

        @Override
        protected WriteSupport<E> getWriteSupport(ParquetConfiguration conf) {
            return new TableWriteSupport<>(table);
        }
    }
}
