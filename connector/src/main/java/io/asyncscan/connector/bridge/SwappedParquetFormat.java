// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Spark's Parquet format as the session extension puts it into a file scan: the bytes are fetched by asyncscan, and all
 * else, what it is equal to included, is that of the format it stands in for.
 *
 * <p>Internals: extends {@link ParquetFileFormat}, because Spark asks for that class where it decides how rows are
 * converted.
 */
final class SwappedParquetFormat extends ParquetFileFormat {
    private static final long serialVersionUID = 1L;

    private final ParquetFileFormat spark;
    private final transient ReadOptions readOptions;

    /** Stands in for {@code spark}. */
    SwappedParquetFormat(ParquetFileFormat spark, ReadOptions readOptions) {
        this.spark = spark;
        this.readOptions = readOptions;
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
        ReadTask.Schemas schemas = new ReadTask.Schemas(dataSchema, partitionSchema, requiredSchema);
        return SwappedFormats.reader(session, spark, schemas, filters, options, hadoopConf, readOptions);
    }

    @Override
    public String toString() {
        return spark.toString();
    }

    @Override
    public boolean equals(Object other) {
        return spark.equals(other instanceof SwappedParquetFormat swapped ? swapped.spark : other);
    }

    @Override
    public int hashCode() {
        return spark.hashCode();
    }
}
