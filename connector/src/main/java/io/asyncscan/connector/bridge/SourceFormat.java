// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * What the driver's side of a scan has to know of a file format. Lives on the driver.
 *
 * <p>Internals: {@link SQLConf}, for settings of Spark's sources that have no public name.
 */
public abstract sealed class SourceFormat permits ParquetSource, LineSource {

    /** How a format is called by the option {@code fileFormat}. */
    public abstract ReadOptions.FileFormat name();

    /** Fields of the {@code _metadata} column. */
    public abstract StructType metadataType();

    /** The format of ours that Spark's version 1 source resolves paths and schema with. */
    abstract Class<? extends org.apache.spark.sql.execution.datasources.FileFormat> resolver();

    /** Refuses options with which Spark's reader would return garbage without saying so. */
    abstract void check(SparkSession session, Map<String, String> options);

    /** Whether a scan may ask for some fields of a nested column. */
    abstract boolean prunesNested();

    /** Whether the reader is given filters. */
    abstract boolean pushesFilters(SQLConf conf);

    /** Whether the reader returns batches of rows with these columns. */
    abstract boolean isColumnar(SparkSession session, StructType decoded);

    /** Whether the file may be decoded in parts. */
    abstract boolean isSplitable(SparkSession session, Map<String, String> options, Path path);

    /** Builds the reader the tasks use; parameters as of {@link ReadTask#parquet}. */
    abstract ReadTask readTask(
            SparkSession session,
            ReadTask.Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf,
            Set<String> pathSchemes,
            ReadOptions readOptions);

    /** The format of that name, which is not {@code AUTO}. */
    static SourceFormat of(ReadOptions.FileFormat name) {
        return switch (name) {
            case PARQUET -> ParquetSource.INSTANCE;
            case CSV -> LineSource.CSV;
            case JSON -> LineSource.JSON;
            case TEXT -> LineSource.TEXT;
            case AUTO -> throw new IllegalArgumentException("no format is called " + name);
        };
    }

    @Override
    public final String toString() {
        return name().toString();
    }
}
