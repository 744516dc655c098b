// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.apache.spark.sql.execution.datasources.v2.csv.CSVScan;
import org.apache.spark.sql.execution.datasources.v2.json.JsonScan;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan;
import org.apache.spark.sql.execution.datasources.v2.text.TextScan;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What the version 2 file scans of Spark's are asked for, so that the reader of the same format's version 1 can decode
 * for them: it takes the same schemas, filters and options, and returns the same rows.
 *
 * <p>Internals: {@link FileScan} and its classes for the formats, which know what is read; Spark's own formats.
 */
final class VersionTwoScan {
    private VersionTwoScan() {}

    /** Why {@code scan} is left to Spark, as far as the scan itself is concerned; nothing if it is taken. */
    static Optional<String> refusal(FileScan scan) {
        if (format(scan).isEmpty()) {
            return Optional.of("its class is " + scan.getClass().getName());
        }
        if (scan instanceof ParquetScan parquet && parquet.pushedAggregate().isDefined()) {
            return Optional.of("it answers from footers");
        }
        StructType read = scan.readDataSchema();
        for (StructField field : scan.readPartitionSchema().fields()) {
            read = read.add(field);
        }
        // What Spark 4.1 extracts from variants while it reads shows in the schema alone, in every version.
        return read.equals(scan.readSchema()) ? Optional.empty() : Optional.of("it changes values while it reads");
    }

    /** The same format of version 1. These very classes: of a subclass nothing is known. */
    private static Optional<FileFormat> format(FileScan scan) {
        Class<?> type = scan.getClass();
        if (type == ParquetScan.class) {
            return Optional.of(new ParquetFileFormat());
        }
        if (type == CSVScan.class) {
            return Optional.of(new CSVFileFormat());
        }
        if (type == JsonScan.class) {
            return Optional.of(new JsonFileFormat());
        }
        return type == TextScan.class ? Optional.of(new TextFileFormat()) : Optional.empty();
    }

    private static Filter[] filters(FileScan scan) {
        if (scan instanceof ParquetScan parquet) {
            return parquet.pushedFilters();
        }
        if (scan instanceof CSVScan csv) {
            return csv.pushedFilters();
        }
        return scan instanceof JsonScan json ? json.pushedFilters() : new Filter[0];
    }

    /** The options the read was made with. */
    static java.util.Map<String, String> options(FileScan scan) {
        CaseInsensitiveStringMap options = null;
        if (scan instanceof ParquetScan parquet) {
            options = parquet.options();
        } else if (scan instanceof CSVScan csv) {
            options = csv.options();
        } else if (scan instanceof JsonScan json) {
            options = json.options();
        } else if (scan instanceof TextScan text) {
            options = text.options();
        }
        return options == null ? java.util.Map.of() : options.asCaseSensitiveMap();
    }

    /** The Hadoop configuration that the scan reads with, the caller's own. */
    static Configuration hadoopConf(FileScan scan) {
        return ((org.apache.spark.sql.classic.SparkSession) scan.sparkSession())
                .sessionState()
                .newHadoopConfWithOptions(scala(options(scan)));
    }

    /** Whether the scan returns batches. */
    static boolean isColumnar(FileScan scan, PartitionReaderFactory factory) {
        InputPartition[] partitions = scan.planInputPartitions();
        return partitions.length > 0 && factory.supportColumnarReads(partitions[0]);
    }

    /** What the tasks have in common. */
    static ReadTask readTask(FileScan scan, boolean columnar, ReadOptions readOptions) {
        java.util.Map<String, String> options = new HashMap<>(options(scan));
        options.put(FileFormat.OPTION_RETURNING_BATCH(), Boolean.toString(columnar));
        return SwappedFormats.readTask(
                scan.sparkSession(),
                format(scan).orElseThrow(),
                new ReadTask.Schemas(scan.dataSchema(), scan.readPartitionSchema(), scan.readDataSchema()),
                CollectionConverters.asScala(Arrays.asList(filters(scan))).toSeq(),
                scala(options),
                hadoopConf(scan),
                readOptions);
    }

    private static Map<String, String> scala(java.util.Map<String, String> map) {
        return Map$.MODULE$.from(CollectionConverters.asScala(map));
    }
}
