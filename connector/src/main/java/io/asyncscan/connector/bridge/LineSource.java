// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.TextBasedFileFormat;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * The formats that Spark reads line by line, or a file as one stream: CSV, JSON and text.
 *
 * <p>Internals: Spark's own {@link CSVFileFormat}, {@link JsonFileFormat} and {@link TextFileFormat}, which know what of a
 * file can be cut and how to decode it.
 */
final class LineSource extends SourceFormat {
    static final LineSource CSV = new LineSource(
            ReadOptions.FileFormat.CSV, AsyncCsvFormat.class, CSVFileFormat::new, SQLConf::csvFilterPushDown);
    static final LineSource JSON = new LineSource(
            ReadOptions.FileFormat.JSON, AsyncJsonFormat.class, JsonFileFormat::new, SQLConf::jsonFilterPushDown);
    static final LineSource TEXT =
            new LineSource(ReadOptions.FileFormat.TEXT, AsyncTextFormat.class, TextFileFormat::new, conf -> false);

    private final ReadOptions.FileFormat name;
    private final Class<? extends FileFormat> resolver;
    private final Supplier<TextBasedFileFormat> decoder;
    private final Predicate<SQLConf> pushesFilters;

    private LineSource(
            ReadOptions.FileFormat name,
            Class<? extends FileFormat> resolver,
            Supplier<TextBasedFileFormat> decoder,
            Predicate<SQLConf> pushesFilters) {
        this.name = name;
        this.resolver = resolver;
        this.decoder = decoder;
        this.pushesFilters = pushesFilters;
    }

    @Override
    public ReadOptions.FileFormat name() {
        return name;
    }

    @Override
    public StructType metadataType() {
        return MetadataFields.CONSTANT;
    }

    @Override
    Class<? extends FileFormat> resolver() {
        return resolver;
    }

    @Override
    void check(SparkSession session, Map<String, String> options) {
        if (this == CSV) {
            LineEncoding.check(CsvInference.parse(session, options));
        }
    }

    @Override
    boolean prunesNested() {
        return false;
    }

    @Override
    boolean pushesFilters(SQLConf conf) {
        return pushesFilters.test(conf);
    }

    @Override
    boolean isColumnar(SparkSession session, StructType decoded) {
        return false;
    }

    @Override
    boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
        return decoder.get().isSplitable(session, options, path);
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
        return ReadTask.lines(session, decoder.get(), schemas, filters, options, hadoopConf, pathSchemes, readOptions);
    }
}
