// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Spark's TEXT format with the bytes fetched by asyncscan: for file scans of Spark's own, and to resolve paths with.
 *
 * <p>Internals: extends {@link TextFileFormat}, because everything but the bytes is to stay as it is.
 */
public final class AsyncTextFormat extends TextFileFormat implements ReadsAhead {
    private static final long serialVersionUID = 1L;

    /** Made by Spark, by reflection. */
    public AsyncTextFormat() {}

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
                LineSource.TEXT,
                session,
                new ReadTask.Schemas(dataSchema, partitionSchema, requiredSchema),
                filters,
                options,
                hadoopConf);
    }
}
