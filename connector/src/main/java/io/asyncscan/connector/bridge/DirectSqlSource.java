// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.RelationProvider;
import org.apache.spark.sql.sources.SchemaRelationProvider;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The side of the data source that Spark's version 1 interfaces see: {@code SELECT * FROM asyncscan.`path`}, which Spark
 * offers to file formats only and resolves as a relation of files, and the refusal to write.
 *
 * <p>Internals: implements {@link FileFormat}, because direct queries on files ask for it before anything else. None of
 * its methods is reached: the relation it answers with has {@link AsyncParquetFormat} as its format.
 */
public abstract class DirectSqlSource
        implements FileFormat, RelationProvider, SchemaRelationProvider, CreatableRelationProvider {
    private static final String READ_ONLY =
            "asyncscan only reads: write with format(\"parquet\") and read the result with asyncscan";

    /** For the data source. */
    protected DirectSqlSource() {}

    /** The files of a read. */
    protected abstract FileRelation resolve(java.util.Map<String, String> options, StructType schema);

    @Override
    public BaseRelation createRelation(SQLContext context, Map<String, String> options) {
        return resolve(CollectionConverters.asJava(options), null).relation();
    }

    @Override
    public BaseRelation createRelation(SQLContext context, Map<String, String> options, StructType schema) {
        return resolve(CollectionConverters.asJava(options), schema).relation();
    }

    @Override
    public BaseRelation createRelation(
            SQLContext context, SaveMode mode, Map<String, String> options, Dataset<Row> rows) {
        throw new UnsupportedOperationException(READ_ONLY);
    }

    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
        return new AsyncParquetFormat().inferSchema(session, options, files);
    }

    @Override
    public OutputWriterFactory prepareWrite(
            SparkSession session, Job job, Map<String, String> options, StructType schema) {
        throw new UnsupportedOperationException(READ_ONLY);
    }
}
