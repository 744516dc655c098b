// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.TextBasedFileFormat;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * A format of lines of Spark's (CSV, JSON, text) as the session extension puts it into a file scan: the bytes are fetched
 * by asyncscan, and all else, what it is equal to included, is that of the format it stands in for.
 *
 * <p>Internals: a {@link FileFormat}, as {@link TextBasedFileFormat} is one. Spark asks for no closer class when it plans
 * the tasks of a scan.
 */
final class SwappedLinesFormat extends TextBasedFileFormat implements DataSourceRegister {
    private static final long serialVersionUID = 1L;

    private final TextBasedFileFormat spark;
    private final transient ReadOptions readOptions;

    /** Stands in for {@code spark}. */
    SwappedLinesFormat(TextBasedFileFormat spark, ReadOptions readOptions) {
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
    public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
        return spark.isSplitable(session, options, path);
    }

    @Override
    public Map<String, Function1<PartitionedFile, Object>> fileConstantMetadataExtractors() {
        return spark.fileConstantMetadataExtractors();
    }

    @Override
    public Seq<StructField> metadataSchemaFields() {
        return spark.metadataSchemaFields();
    }

    @Override
    public boolean supportDataType(DataType type) {
        return spark.supportDataType(type);
    }

    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
        return spark.inferSchema(session, options, files);
    }

    @Override
    public OutputWriterFactory prepareWrite(
            SparkSession session, Job job, Map<String, String> options, StructType schema) {
        return spark.prepareWrite(session, job, options, schema);
    }

    @Override
    public String shortName() {
        return ((DataSourceRegister) spark).shortName();
    }

    @Override
    public String toString() {
        return spark.toString();
    }

    @Override
    public boolean equals(Object other) {
        return spark.equals(other instanceof SwappedLinesFormat swapped ? swapped.spark : other);
    }

    @Override
    public int hashCode() {
        return spark.hashCode();
    }
}
