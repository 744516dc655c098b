// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Spark's CSV format with the bytes fetched by asyncscan: for file scans of Spark's own, and to resolve paths with.
 *
 * <p>Internals: extends {@link CSVFileFormat}, because everything but the bytes is to stay as it is.
 */
public final class AsyncCsvFormat extends CSVFileFormat implements ReadsAhead {
    private static final long serialVersionUID = 1L;

    /** Made by Spark, by reflection. */
    public AsyncCsvFormat() {}

    /** As Spark's, over lines that are read ahead, or with records that span lines over files that are. */
    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> resolving, Seq<FileStatus> files) {
        Map<String, String> options = ResolvingOptions.without(resolving);
        CSVOptions parsed = CsvInference.parse(session, options);
        LineEncoding.check(parsed);
        if (files.isEmpty() || ReadTask.isOneVariant(options)) {
            return super.inferSchema(session, options, files);
        }
        if (parsed.multiLine()) {
            return super.inferSchema(session, InferenceFileSystem.layOver(session, resolving, files), files);
        }
        return Option.apply(CsvInference.infer(session, options, parsed, files));
    }

    @Override
    public Function1<PartitionedFile, Iterator<InternalRow>> buildReaderWithPartitionValues(
            SparkSession session,
            StructType dataSchema,
            StructType partitionSchema,
            StructType requiredSchema,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf) {
        return AsyncReadFunction.of(
                LineSource.CSV,
                session,
                new ReadTask.Schemas(dataSchema, partitionSchema, requiredSchema),
                filters,
                options,
                hadoopConf);
    }
}
