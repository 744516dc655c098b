// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.FileEndings;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.storage.FileRef;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The files of a read, resolved by Spark itself. Lives on the driver.
 *
 * <p>Internals: {@link HadoopFsRelation} and {@link PartitioningAwareFileIndex}, because discovery of partitions,
 * inference of schemas, globs and all listing options have to be Spark's own. They are reached through the public
 * {@link DataFrameReader}, because the constructor of Spark's resolver differs between versions.
 */
public final class FileRelation {
    private final SparkSession session;
    private final SourceFormat format;
    private final HadoopFsRelation relation;
    private final PartitioningAwareFileIndex index;
    private final scala.collection.immutable.Map<String, String> options;

    private FileRelation(
            SparkSession session, SourceFormat format, HadoopFsRelation relation, Map<String, String> implied) {
        this.session = session;
        this.format = format;
        this.relation = relation;
        this.options = DetectingFormat.withImplied(relation.options(), implied);
        this.index = (PartitioningAwareFileIndex) relation.location();
    }

    /**
     * Resolves a read.
     *
     * @param format what the files are; {@code AUTO} to go by their endings
     * @param options of the read, without its paths
     * @param schema the schema the user gave, or null to infer it
     * @throws RuntimeException what Spark's own source would throw for the same read
     */
    public static FileRelation resolve(
            ReadOptions.FileFormat format, List<String> paths, Map<String, String> options, StructType schema) {
        SparkSession session = SparkSession.active();
        if (format != ReadOptions.FileFormat.AUTO) {
            return resolve(session, SourceFormat.of(format), paths, options, schema);
        }
        HadoopFsRelation relation = load(session, DetectingFormat.class, paths, options, schema);
        FileEndings.Guess guess = FileEndings.guess(List.of(relation.location().inputFiles()));
        SourceFormat found = SourceFormat.of(guess.format());
        if (schema != null && !DetectingFormat.reads(found, relation.dataSchema())) {
            // Spark checks types when it resolves, and what was to be read was not known then: let it check again.
            return resolve(session, found, paths, options, schema);
        }
        FileRelation result = new FileRelation(session, found, relation, guess.implied());
        found.check(session, result.options());
        return result;
    }

    private static FileRelation resolve(
            SparkSession session,
            SourceFormat format,
            List<String> paths,
            Map<String, String> options,
            StructType schema) {
        FileRelation result =
                new FileRelation(session, format, load(session, format.resolver(), paths, options, schema), Map.of());
        format.check(session, result.options());
        return result;
    }

    private static HadoopFsRelation load(
            SparkSession session,
            Class<? extends FileFormat> resolver,
            List<String> paths,
            Map<String, String> options,
            StructType schema) {
        try (ResolvingOptions resolving = ResolvingOptions.open(session, paths, options, schema == null)) {
            return load(session.read().format(resolver.getName()).options(resolving.options()), paths, schema);
        }
    }

    private static HadoopFsRelation load(DataFrameReader reader, List<String> paths, StructType schema) {
        Dataset<Row> rows = (schema == null ? reader : reader.schema(schema)).load(paths.toArray(new String[0]));
        LogicalPlan plan = ((org.apache.spark.sql.classic.Dataset<Row>) rows)
                .queryExecution()
                .analyzed();
        HadoopFsRelation relation = (HadoopFsRelation) ((LogicalRelation) plan).relation();
        return relation.copy(
                relation.location(),
                relation.partitionSchema(),
                relation.dataSchema(),
                relation.bucketSpec(),
                relation.fileFormat(),
                ResolvingOptions.without(relation.options()),
                relation.sparkSession());
    }

    /** What the files are. */
    public SourceFormat format() {
        return format;
    }

    /** The options of the read and those that go with the files' endings. */
    scala.collection.immutable.Map<String, String> options() {
        return options;
    }

    SparkSession session() {
        return session;
    }

    PartitioningAwareFileIndex index() {
        return index;
    }

    /** Schema of the table: data and partition columns, where Spark's own source puts them. */
    public StructType schema() {
        return relation.schema();
    }

    /** Schema of the files. */
    public StructType dataSchema() {
        return relation.dataSchema();
    }

    /** Schema of the directories. */
    public StructType partitionSchema() {
        return relation.partitionSchema();
    }

    /** The paths the read was given, globs resolved. */
    public List<Path> rootPaths() {
        return CollectionConverters.asJava(index.rootPaths());
    }

    /** What was read of {@code file} when the schema was inferred, if it is Parquet; once. */
    Optional<ScanSupport.InferredFrom> takeFooter(FileRef file) {
        return relation.fileFormat() instanceof AsyncParquetFormat parquet
                ? parquet.takeFooter(file)
                : Optional.empty();
    }

    /** The file systems' schemes the paths lie in. */
    Set<String> schemes() {
        Set<String> schemes = new LinkedHashSet<>();
        for (Path path : rootPaths()) {
            if (path.toUri().getScheme() != null) {
                schemes.add(path.toUri().getScheme());
            }
        }
        return schemes;
    }

    /** Whether another relation has the same files with the same schemas and options. */
    public boolean sameFiles(FileRelation other) {
        return index.equals(other.index)
                && format == other.format
                && relation.dataSchema().equals(other.relation.dataSchema())
                && relation.partitionSchema().equals(other.relation.partitionSchema())
                && options.equals(other.options);
    }
}
