// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.parquet.ParquetNeeds;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.view.ViewFileSystem;
import java.io.Serializable;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetInputFormat;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.FileSourceOptions;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.TextBasedFileFormat;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Everything the tasks of one scan have in common: Spark's reader function, bound to a configuration that shows it
 * views instead of files, and what planning in a task needs. Made on the driver, immutable, serializable.
 *
 * <p>Internals: {@link ParquetFileFormat} and {@link TextBasedFileFormat}, whose reader functions are Spark's decoders;
 * {@link SQLConf} and {@link FileSourceOptions} for the settings that belong to it; {@link SerializableConfiguration}, because a Hadoop
 * configuration does not travel by itself.
 */
public final class ReadTask implements Serializable {
    private static final long serialVersionUID = 1L;

    /** How Hadoop's configuration names the file system of a scheme. */
    private static final Pattern FILE_SYSTEM_KEY = Pattern.compile("fs\\.([A-Za-z][A-Za-z0-9+-]*)\\.impl");

    /** Spark's option with which its CSV reader names columns by a file's first line, whichever part it decodes. */
    private static final String SINGLE_VARIANT_COLUMN = "singleVariantColumn";

    private final Function1<PartitionedFile, Iterator<InternalRow>> reader;

    /** The one that {@link #reader} carries as well, wherever it does. */
    private final Broadcast<SerializableConfiguration> conf;

    private final TaskFormat format;
    private final ReadOptions options;
    private final boolean ignoreCorruptFiles;
    private final boolean ignoreMissingFiles;

    /**
     * The schemas Spark's reader is built with.
     *
     * @param data of the files
     * @param partition of the partition columns the reader appends
     * @param required of the data columns it reads
     */
    public record Schemas(StructType data, StructType partition, StructType required) {}

    private ReadTask(
            Function1<PartitionedFile, Iterator<InternalRow>> reader,
            Broadcast<SerializableConfiguration> conf,
            TaskFormat format,
            ReadOptions options,
            FileSourceOptions fileOptions) {
        this.reader = reader;
        this.conf = conf;
        this.format = format;
        this.options = options;
        this.ignoreCorruptFiles = fileOptions.ignoreCorruptFiles();
        this.ignoreMissingFiles = fileOptions.ignoreMissingFiles();
    }

    /**
     * Builds Spark's Parquet reader over views.
     *
     * @param hadoopConf this scan's own; it is changed
     * @param pathSchemes schemes of the paths, as far as they are known
     */
    static ReadTask parquet(
            SparkSession session,
            Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf,
            Set<String> pathSchemes,
            ReadOptions readOptions) {
        ViewFileSystem.install(hadoopConf, schemes(hadoopConf, pathSchemes));
        if (hadoopConf.get(ParquetInputFormat.HADOOP_VECTORED_IO_ENABLED) == null) {
            // Off by default before parquet 1.16 (Spark 4.0); over a view it hands out slices instead of copying.
            hadoopConf.setBoolean(ParquetInputFormat.HADOOP_VECTORED_IO_ENABLED, true);
        }
        SQLConf sqlConf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .conf();
        TaskFormat format = new ParquetTask(
                schemas.required(),
                CollectionConverters.asJava(filters).toArray(new Filter[0]),
                SparkParquetNeeds.Settings.of(sqlConf, options));
        return build(session, new ParquetFileFormat(), format, schemas, filters, options, hadoopConf, readOptions);
    }

    /**
     * Builds the reader of one of Spark's formats of lines over views: CSV, JSON or text.
     *
     * @param decoder Spark's own format; not one that reads through asyncscan
     * @param hadoopConf this scan's own; it is changed
     * @param pathSchemes schemes of the paths, as far as they are known
     */
    static ReadTask lines(
            SparkSession session,
            TextBasedFileFormat decoder,
            Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf,
            Set<String> pathSchemes,
            ReadOptions readOptions) {
        ViewFileSystem.install(hadoopConf, schemes(hadoopConf, pathSchemes));
        boolean readsHead = decoder instanceof CSVFileFormat && isOneVariant(options);
        return build(session, decoder, new LinesTask(readsHead), schemas, filters, options, hadoopConf, readOptions);
    }

    /** Whether a CSV record is to become one variant, whose fields the file's first line names. */
    static boolean isOneVariant(Map<String, String> options) {
        return CollectionConverters.asJava(options).keySet().stream().anyMatch(SINGLE_VARIANT_COLUMN::equalsIgnoreCase);
    }

    /** Builds the reader of Spark's {@code decoder} over views that {@code format} fills. */
    private static ReadTask build(
            SparkSession session,
            FileFormat decoder,
            TaskFormat format,
            Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf,
            ReadOptions readOptions) {
        Function1<PartitionedFile, Iterator<InternalRow>> reader = decoder.buildReaderWithPartitionValues(
                session, schemas.data(), schemas.partition(), schemas.required(), filters, options, hadoopConf);
        Broadcast<SerializableConfiguration> conf = CarriedConfiguration.of(reader)
                .orElseGet(() -> JavaSparkContext.fromSparkContext(session.sparkContext())
                        .broadcast(new SerializableConfiguration(hadoopConf)));
        return new ReadTask(reader, conf, format, readOptions, new FileSourceOptions(options));
    }

    /**
     * Every scheme a file of the scan may have: those the configuration names, the paths' own, and those that Hadoop
     * finds without configuration.
     */
    private static Set<String> schemes(Configuration conf, Set<String> ofPaths) {
        Set<String> schemes = new LinkedHashSet<>(List.of("file", "hdfs", "webhdfs", "swebhdfs", "viewfs", "har"));
        schemes.addAll(ofPaths);
        for (java.util.Map.Entry<String, String> entry : conf) {
            Matcher matcher = FILE_SYSTEM_KEY.matcher(entry.getKey());
            if (matcher.matches()) {
                schemes.add(matcher.group(1));
            }
        }
        return schemes;
    }

    Function1<PartitionedFile, Iterator<InternalRow>> reader() {
        return reader;
    }

    /** The configuration Spark's reader has: schemes mapped to views. */
    Configuration conf() {
        return conf.value().value();
    }

    /** The scan of one task. */
    TaskScan open(List<ScanUnit> units, ScanServices services) {
        return format.open(units, services, conf());
    }

    /** What a Parquet scan wants of each file. */
    ParquetNeeds parquetNeeds() {
        return ((ParquetTask) format).needs(conf());
    }

    ReadOptions options() {
        return options;
    }

    boolean ignoreCorruptFiles() {
        return ignoreCorruptFiles;
    }

    boolean ignoreMissingFiles() {
        return ignoreMissingFiles;
    }
}
