// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.storage.FileRef;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's Parquet format with the bytes fetched by asyncscan: what a file scan of Spark's own ends up with when it
 * reads through this format ({@code SELECT * FROM asyncscan.`path`}).
 *
 * <p>Internals: extends {@link ParquetFileFormat}, because Spark asks for that class where it decides how rows are
 * converted, and because everything but the bytes is to stay as it is.
 */
public class AsyncParquetFormat extends ParquetFileFormat implements ReadsAhead {
    private static final long serialVersionUID = 1L;

    /** Footers that were read when the schema was inferred, until planning takes them. Null before, and in copies. */
    private transient volatile FootersAhead footers;

    /** Made by Spark, by reflection. */
    public AsyncParquetFormat() {}

    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
        SchemaInference inference = new SchemaInference(session, options, CollectionConverters.asJava(files));
        Optional<StructType> schema = inference.infer();
        footers = inference.footers();
        return schema.isPresent()
                ? Option.apply(schema.get())
                : super.inferSchema(session, ResolvingOptions.without(options), files);
    }

    /** What was read of {@code file} when the schema was inferred. It is given away once, and only while it is fresh. */
    Optional<ScanSupport.InferredFrom> takeFooter(FileRef file) {
        FootersAhead known = footers;
        return known == null ? Optional.empty() : known.take(file);
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
                ParquetSource.INSTANCE,
                session,
                new ReadTask.Schemas(dataSchema, partitionSchema, requiredSchema),
                filters,
                options,
                hadoopConf);
    }
}
