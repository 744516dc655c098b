// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Parquet.
 *
 * <p>Internals: {@link ParquetFileFormat}, because batches are returned exactly where Spark's own scan returns them.
 */
final class ParquetSource extends SourceFormat {
    static final ParquetSource INSTANCE = new ParquetSource();

    private ParquetSource() {}

    @Override
    public ReadOptions.FileFormat name() {
        return ReadOptions.FileFormat.PARQUET;
    }

    @Override
    public StructType metadataType() {
        return MetadataFields.WITH_ROW_INDEX;
    }

    @Override
    Class<? extends FileFormat> resolver() {
        return AsyncParquetFormat.class;
    }

    @Override
    void check(SparkSession session, Map<String, String> options) {
        // Whatever Spark's reader is given, it reads right or fails.
    }

    @Override
    boolean prunesNested() {
        return true;
    }

    @Override
    boolean pushesFilters(SQLConf conf) {
        return conf.parquetFilterPushDown();
    }

    @Override
    boolean isColumnar(SparkSession session, StructType decoded) {
        return new ParquetFileFormat().supportBatch(session, decoded);
    }

    @Override
    boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
        return true;
    }

    @Override
    ReadTask readTask(
            SparkSession session,
            ReadTask.Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf,
            Set<String> pathSchemes,
            ReadOptions readOptions) {
        return ReadTask.parquet(session, schemas, filters, options, hadoopConf, pathSchemes, readOptions);
    }
}
