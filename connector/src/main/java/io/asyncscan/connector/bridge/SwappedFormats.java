// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.TextBasedFileFormat;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * The formats of Spark's that have one of ours to stand in for them.
 *
 * <p>Internals: {@link FileFormat} and Spark's own ones. Of a subclass nothing is known but that it reads otherwise than
 * Spark's own, so only these very classes are taken, and those that fetch through asyncscan already.
 */
final class SwappedFormats {
    private static final Logger LOG = LoggerFactory.getLogger(SwappedFormats.class);

    private static final List<Class<? extends FileFormat>> SPARKS =
            List.of(ParquetFileFormat.class, CSVFileFormat.class, JsonFileFormat.class, TextFileFormat.class);

    private SwappedFormats() {}

    static boolean isKnown(FileFormat format) {
        return SPARKS.contains(format.getClass()) || format instanceof ReadsAhead;
    }

    /** What stands in for {@code format}, which is one of those that are known. */
    static FileFormat of(FileFormat format, ReadOptions options) {
        if (format instanceof ReadsAhead) {
            return format;
        }
        return format instanceof ParquetFileFormat parquet
                ? new SwappedParquetFormat(parquet, options)
                : new SwappedLinesFormat((TextBasedFileFormat) format, options);
    }

    /** The reader function of a scan that decodes with {@code decoder}; Spark's own if ours cannot be built. */
    static Function1<PartitionedFile, Iterator<InternalRow>> reader(
            SparkSession session,
            FileFormat decoder,
            ReadTask.Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf,
            ReadOptions readOptions) {
        try {
            return new AsyncReadFunction(
                    readTask(session, decoder, schemas, filters, options, hadoopConf, readOptions));
        } catch (RuntimeException | LinkageError e) {
            // If it is Spark's reader that cannot be built, the error comes again, and from Spark.
            LOG.warn("asyncscan cannot read ahead; Spark's own reader is used", e);
            return decoder.buildReaderWithPartitionValues(
                    session, schemas.data(), schemas.partition(), schemas.required(), filters, options, hadoopConf);
        }
    }

    /**
     * What the tasks of a scan have in common that decodes with a format of Spark's own.
     *
     * @param decoder one of Spark's own formats
     * @param hadoopConf the scan's; it stays as it is
     */
    static ReadTask readTask(
            SparkSession session,
            FileFormat decoder,
            ReadTask.Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf,
            ReadOptions readOptions) {
        Configuration own = new Configuration(hadoopConf);
        return decoder instanceof TextBasedFileFormat lines
                ? ReadTask.lines(session, lines, schemas, filters, options, own, Set.of(), readOptions)
                : ReadTask.parquet(session, schemas, filters, options, own, Set.of(), readOptions);
    }
}
