// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

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
import scala.collection.immutable.Map;

/**
 * The side of the data source that Spark's version 1 interfaces see: {@code SELECT * FROM asyncscan.`path`}, which Spark
 * offers to file formats only and plans as a file scan of its own, and the refusal to write.
 *
 * <p>Internals: a file format, because direct queries on files ask for one; its reader is {@link DetectingFormat}'s.
 */
public abstract class DirectSqlSource extends DetectingFormat implements CreatableRelationProvider {
    private static final long serialVersionUID = 1L;

    private static final String READ_ONLY =
            "asyncscan only reads: write with format(\"parquet\") and read the result with asyncscan";

    /** For the data source. */
    protected DirectSqlSource() {}

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
    public String toString() {
        return "asyncscan";
    }
}
