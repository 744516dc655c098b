// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
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
    private final HadoopFsRelation relation;
    private final PartitioningAwareFileIndex index;

    private FileRelation(SparkSession session, HadoopFsRelation relation) {
        this.session = session;
        this.relation = relation;
        this.index = (PartitioningAwareFileIndex) relation.location();
    }

    /**
     * Resolves a Parquet read.
     *
     * @param schema the schema the user gave, or null to infer it
     * @throws RuntimeException what Spark's own source would throw for the same read
     */
    public static FileRelation parquet(List<String> paths, Map<String, String> options, StructType schema) {
        SparkSession session = SparkSession.active();
        try (ResolvingOptions resolving = ResolvingOptions.open(session, paths, options)) {
            return new FileRelation(session, load(session, paths, resolving.options(), schema));
        }
    }

    private static HadoopFsRelation load(
            SparkSession session, List<String> paths, Map<String, String> options, StructType schema) {
        DataFrameReader reader =
                session.read().format(AsyncParquetFormat.class.getName()).options(options);
        if (schema != null) {
            reader = reader.schema(schema);
        }
        Dataset<Row> rows = reader.load(paths.toArray(new String[0]));
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

    SparkSession session() {
        return session;
    }

    HadoopFsRelation relation() {
        return relation;
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

    /** The files of the read, as {@code Dataset.inputFiles} shows them. */
    public List<String> inputFiles() {
        return List.of(index.inputFiles());
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
                && relation.dataSchema().equals(other.relation.dataSchema())
                && relation.partitionSchema().equals(other.relation.partitionSchema())
                && relation.options().equals(other.relation.options());
    }
}
