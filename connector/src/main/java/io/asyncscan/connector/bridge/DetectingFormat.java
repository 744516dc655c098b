// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.FileEndings;
import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The format of files that are not known before they are listed: Spark asks a format for the schema of the files it
 * has listed, and that is where this one becomes what the option {@code fileFormat} or their endings say. Listing once
 * and not twice is what it is for. On the driver one thread uses it, for one read.
 *
 * <p>Internals: {@link FileFormat}, what Spark resolves files with. It is a Parquet format to Spark, which then asks for
 * one conversion of rows too many where it has become another.
 */
public class DetectingFormat extends AsyncParquetFormat {
    private static final long serialVersionUID = 1L;

    /** What it has become, and the options that go with that; null while it is not known, and if it is Parquet. */
    private transient FileFormat other;

    private transient java.util.Map<String, String> implied = java.util.Map.of();

    /** Made by Spark, by reflection. */
    public DetectingFormat() {}

    /** {@code options}, and those of {@code implied} that they do not set. */
    static Map<String, String> withImplied(Map<String, String> options, java.util.Map<String, String> implied) {
        if (implied.isEmpty()) {
            return options;
        }
        java.util.Map<String, String> all = new HashMap<>(CollectionConverters.asJava(options));
        TreeSet<String> given = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        given.addAll(all.keySet());
        implied.forEach((key, value) -> {
            if (!given.contains(key) && !(key.equals("sep") && given.contains("delimiter"))) {
                all.put(key, value);
            }
        });
        return Map$.MODULE$.from(CollectionConverters.asScala(all));
    }

    /** Whether {@code format} reads all types of {@code schema}, whatever else may be wrong with it. */
    static boolean reads(SourceFormat format, StructType schema) {
        FileFormat resolver = newInstance(format);
        for (StructField field : schema.fields()) {
            if (!resolver.supportDataType(field.dataType())) {
                return false;
            }
        }
        return true;
    }

    private static FileFormat newInstance(SourceFormat format) {
        return switch (format.name()) {
            case CSV -> new AsyncCsvFormat();
            case JSON -> new AsyncJsonFormat();
            case TEXT -> new AsyncTextFormat();
            case PARQUET, AUTO -> new AsyncParquetFormat();
        };
    }

    @Override
    public Option<StructType> inferSchema(SparkSession session, Map<String, String> resolving, Seq<FileStatus> files) {
        Map<String, String> options = ResolvingOptions.without(resolving);
        ReadOptions.FileFormat wanted = OptionsParser.read(
                        CollectionConverters.asJava(options), SessionSettings.of(session))
                .fileFormat();
        if (wanted == ReadOptions.FileFormat.AUTO) {
            List<String> paths = new ArrayList<>();
            for (FileStatus file : CollectionConverters.asJava(files)) {
                paths.add(file.getPath().toString());
            }
            FileEndings.Guess guess = FileEndings.guess(paths);
            wanted = guess.format();
            implied = guess.implied();
        }
        if (wanted == ReadOptions.FileFormat.PARQUET) {
            return super.inferSchema(session, resolving, files);
        }
        other = newInstance(SourceFormat.of(wanted));
        return other.inferSchema(session, withImplied(resolving, implied), files);
    }

    @Override
    public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
        return other == null
                ? super.isSplitable(session, options, path)
                : other.isSplitable(session, withImplied(options, implied), path);
    }

    @Override
    public boolean supportBatch(SparkSession session, StructType schema) {
        return other == null ? super.supportBatch(session, schema) : other.supportBatch(session, schema);
    }

    @Override
    public boolean supportDataType(DataType type) {
        // Before the files are known any type is right; the read checks them itself then.
        return other == null || other.supportDataType(type);
    }

    @Override
    public Seq<StructField> metadataSchemaFields() {
        return other == null ? super.metadataSchemaFields() : other.metadataSchemaFields();
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
        return other == null
                ? super.buildReaderWithPartitionValues(
                        session, dataSchema, partitionSchema, requiredSchema, filters, options, hadoopConf)
                : other.buildReaderWithPartitionValues(
                        session,
                        dataSchema,
                        partitionSchema,
                        requiredSchema,
                        filters,
                        withImplied(options, implied),
                        hadoopConf);
    }

    @Override
    public String toString() {
        return other == null ? super.toString() : other.toString();
    }
}
