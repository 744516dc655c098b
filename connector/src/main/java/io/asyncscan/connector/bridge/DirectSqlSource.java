// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The side of the data source that Spark's version 1 interfaces see: {@code SELECT * FROM asyncscan.`path`}, which Spark
 * offers to file formats only and plans as a file scan of its own, and the refusal to write.
 *
 * <p>Internals: a file format, because direct queries on files ask for one; its reader is {@link AsyncParquetFormat}'s.
 */
public abstract class DirectSqlSource extends AsyncParquetFormat implements CreatableRelationProvider {
    private static final long serialVersionUID = 1L;

    private static final String READ_ONLY =
            "asyncscan only reads: write with format(\"parquet\") and read the result with asyncscan";

    /** For the data source. */
    protected DirectSqlSource() {}

    /** Refuses files that this source does not read, by their endings. */
    protected abstract void checkEndings(List<String> files);

    /** Says no before anything is touched: Spark asks for this interface first. */
    @Override
    public BaseRelation createRelation(
            SQLContext context, SaveMode mode, Map<String, String> options, Dataset<Row> rows) {
        throw new UnsupportedOperationException(READ_ONLY);
    }

    @Override
    public OutputWriterFactory prepareWrite(
            SparkSession session, Job job, Map<String, String> options, StructType schema) {
        throw new UnsupportedOperationException(READ_ONLY);
    }

    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
        List<String> paths = new ArrayList<>();
        for (FileStatus file : CollectionConverters.asJava(files)) {
            paths.add(file.getPath().toString());
        }
        checkEndings(paths);
        return super.inferSchema(session, options, files);
    }

    @Override
    public String toString() {
        return "asyncscan";
    }
}
