// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.bridge.AbstractAsyncScanBuilder.PushedDown;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.parquet.ParquetNeeds;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What the driver's side of a scan asks Spark for: files, settings, the reader.
 *
 * <p>Internals: {@link PartitionDirectory}, what a file index lists; {@link SQLConf} for settings that have no public
 * name; {@link WholeStageCodegenExec}, because batches are returned exactly where Spark's own scan returns them;
 * {@link FileFormat} for the option that says so to the reader; {@link ParquetFileFormat} for the name of a column.
 */
public final class ScanSupport {
    /** The column in which Spark's Parquet reader returns the position of a row in its file. */
    static final String ROW_INDEX = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME();

    /** Most hosts that are named for a partition. */
    private static final int MAX_HOSTS = 3;

    private final PushedDown pushed;
    private final SparkSession session;
    private final SQLConf conf;

    /**
     * A file to scan.
     *
     * @param file as listed
     * @param url its path as Spark shows it, percent-encoded
     * @param partitionValues of its directory, for all partition columns of the table
     * @param hosts where most of it lies, for file systems that know
     */
    public record ListedFile(FileRef file, String url, InternalRow partitionValues, List<String> hosts) {}

    /**
     * What the schema of a read was inferred from.
     *
     * @param tail the last bytes of a file
     * @param requests that were sent for it
     */
    public record InferredFrom(FileTail tail, long requests) {}

    /** Support for a scan. */
    public ScanSupport(PushedDown pushed) {
        this.pushed = pushed;
        this.session = relation().session();
        this.conf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .conf();
    }

    private FileRelation relation() {
        return pushed.relation();
    }

    /** Whether the file may be decoded in parts. */
    public boolean isSplitable(FileRef file) {
        return relation().format().isSplitable(session, relation().options(), new Path(file.path()));
    }

    /** The files whose partition passes the partition filters. Listing was done when the table was resolved. */
    public List<ListedFile> files() {
        List<ListedFile> result = new ArrayList<>();
        List<PartitionDirectory> directories = CollectionConverters.asJava(relation()
                .index()
                .listFiles(pushed.filters().partition(), pushed.filters().data()));
        for (PartitionDirectory directory : directories) {
            for (FileStatusWithMetadata file : CollectionConverters.asJava(directory.files())) {
                FileRef ref = FileRef.listed(
                        file.getPath().toString(),
                        file.getLen(),
                        file.fileStatus().getModificationTime());
                result.add(new ListedFile(
                        ref, SparkPath.fromPath(file.getPath()).urlEncoded(), directory.values(), hosts(file)));
            }
        }
        return result;
    }

    private static List<String> hosts(FileStatusWithMetadata file) {
        if (!(file.fileStatus() instanceof LocatedFileStatus located) || located.getBlockLocations() == null) {
            return List.of();
        }
        java.util.Map<String, Long> bytes = new HashMap<>();
        try {
            for (BlockLocation block : located.getBlockLocations()) {
                for (String host : block.getHosts()) {
                    if (!host.equals("localhost")) {
                        bytes.merge(host, block.getLength(), Long::sum);
                    }
                }
            }
        } catch (java.io.IOException e) {
            // Hosts are a hint; without them the partition runs anywhere.
            return List.of();
        }
        return bytes.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue(), a.getValue()))
                .limit(MAX_HOSTS)
                .map(java.util.Map.Entry::getKey)
                .toList();
    }

    /** The values of the partition columns that the scan reads, out of those of all partition columns. */
    public InternalRow readPartitionValues(InternalRow all) {
        StructType partition = relation().partitionSchema();
        StructField[] read = pushed.partitionColumns().fields();
        Object[] values = new Object[read.length];
        for (int i = 0; i < read.length; i++) {
            int ordinal = partitionOrdinal(partition, read[i].name());
            values[i] = all.isNullAt(ordinal) ? null : all.get(ordinal, partition.fields()[ordinal].dataType());
        }
        return new GenericInternalRow(values);
    }

    /** The position of a partition column, by the session's rule for letter case. */
    public int partitionOrdinal(StructType partition, String name) {
        for (int i = 0; i < partition.fields().length; i++) {
            String candidate = partition.fields()[i].name();
            if (conf.caseSensitiveAnalysis() ? candidate.equals(name) : candidate.equalsIgnoreCase(name)) {
                return i;
            }
        }
        throw new IllegalStateException(
                "no partition column " + name + " in " + Arrays.toString(partition.fieldNames()));
    }

    /** Whether the scan returns batches: where Spark's own scan does. */
    public boolean isColumnar(StructType readSchema) {
        return conf.wholeStageEnabled()
                && !WholeStageCodegenExec.isTooManyFields(conf, readSchema)
                && relation().format().isColumnar(session, decoded());
    }

    /** The data columns Spark's reader is asked for: with the row index in front of the line if it is wanted. */
    private StructType required() {
        return wantsRowIndex() ? pushed.dataColumns().add(ROW_INDEX, "long") : pushed.dataColumns();
    }

    private boolean wantsRowIndex() {
        return pushed.metadata() != null
                && Arrays.asList(metadataType().fieldNames()).contains(MetadataFields.ROW_INDEX);
    }

    private StructType metadataType() {
        return pushed.metadata() == null ? null : (StructType) pushed.metadata().dataType();
    }

    private StructType decoded() {
        StructType result = required();
        for (StructField field : pushed.partitionColumns().fields()) {
            result = result.add(field);
        }
        return result;
    }

    /** How the reader's output becomes the scan's. */
    public OutputLayout layout() {
        return new OutputLayout(pushed.dataColumns(), pushed.partitionColumns(), metadataType(), wantsRowIndex());
    }

    /** Builds the reader the tasks use. */
    public ReadTask readTask(ReadOptions options, boolean columnar) {
        java.util.Map<String, String> all =
                new HashMap<>(CollectionConverters.asJava(relation().options()));
        all.put(FileFormat.OPTION_RETURNING_BATCH(), Boolean.toString(columnar));
        Map<String, String> parameters = Map$.MODULE$.from(CollectionConverters.asScala(all));
        return relation()
                .format()
                .readTask(
                        session,
                        new ReadTask.Schemas(relation().dataSchema(), pushed.partitionColumns(), required()),
                        CollectionConverters.asScala(
                                        Arrays.asList(pushed.filters().pushed()))
                                .toSeq(),
                        parameters,
                        hadoopConf(),
                        relation().schemes(),
                        options);
    }

    /** What the driver plans with: the needs of the reader of {@code task}. */
    public ParquetNeeds needs(ReadTask task) {
        return task.parquetNeeds();
    }

    /** What was read of {@code file} when the schema was inferred; once. May wait for it. */
    public Optional<InferredFrom> takeSchemaFooter(FileRef file) {
        return relation().takeFooter(file);
    }

    /** A Hadoop configuration with the read's options, this scan's own. */
    public Configuration hadoopConf() {
        return ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConfWithOptions(relation().options());
    }

    /** Task slots of the application, or what the user set for the number of partitions of a file scan. */
    public int parallelism() {
        scala.Option<Object> set = conf.filesMinPartitionNum();
        int number = set.isDefined()
                ? (Integer) set.get()
                : ((org.apache.spark.sql.classic.SparkSession) session).leafNodeDefaultParallelism();
        return Math.max(1, number);
    }

    /** {@code spark.sql.files.maxPartitionBytes}. */
    public long maxPartitionBytes() {
        return conf.filesMaxPartitionBytes();
    }

    /** {@code spark.sql.files.openCostInBytes}: what opening a file counts for (bytes). */
    public long openCostBytes() {
        return conf.filesOpenCostInBytes();
    }

    /** Whether joins are planned by cost, which needs the number of rows. */
    public boolean isCostBased() {
        return conf.cboEnabled();
    }

    /** {@code spark.sql.sources.fileCompressionFactor}: bytes in memory per byte of a file. */
    public double compressionFactor() {
        return conf.fileCompressionFactor();
    }

    /** Longest value shown in a plan's description (characters). */
    public int maxDescription() {
        return conf.maxMetadataStringLength();
    }

    /** Whether a file that is missing or damaged may be skipped. */
    public boolean maySkipFiles() {
        org.apache.spark.sql.catalyst.FileSourceOptions options =
                new org.apache.spark.sql.catalyst.FileSourceOptions(relation().options());
        return options.ignoreCorruptFiles() || options.ignoreMissingFiles();
    }

    /** The kind of file index, as Spark's plans name it. */
    public String indexName() {
        return relation().index().getClass().getSimpleName();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "support for %s", relation().rootPaths());
    }
}
