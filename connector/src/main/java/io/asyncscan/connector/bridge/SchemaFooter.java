// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.parquet.FooterReader;
import io.asyncscan.reader.parquet.ParquetFooter;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.view.TaskReadScope;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.Footer;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Map;

/**
 * The footer that the schema of a Parquet read is inferred from: read on the driver with one request, where Spark starts
 * a job whose task sends two, one after the other. The bytes serve planning as well, if it comes soon enough.
 *
 * <p>Internals: {@link ParquetFileFormat#readSchemaFromFooter} and {@link ParquetToSparkSchemaConverter}, because the
 * schema has to be the one Spark infers.
 *
 * @param file as listed
 * @param tail the last bytes of it
 * @param requests that were sent for it
 * @param readNanos when it was read, by {@link System#nanoTime}
 */
record SchemaFooter(StructType schema, FileRef file, FileTail tail, long requests, long readNanos) {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaFooter.class);

    /**
     * How long the bytes may serve planning. A query that is planned later reads the footer anew, so that a file that was
     * overwritten meanwhile is read as it is then.
     */
    private static final Duration FRESH = Duration.ofSeconds(30);

    /** The settings that Spark's own inference hands to its converter; it leaves all others at their defaults. */
    private static final List<String> SETTINGS = List.of(
            "spark.sql.parquet.binaryAsString",
            "spark.sql.parquet.int96AsTimestamp",
            "spark.sql.parquet.inferTimestampNTZ.enabled",
            "spark.sql.legacy.parquet.nanosAsLong",
            "spark.sql.parquet.reader.respectUnknownTypeAnnotation.enabled");

    /**
     * Reads the footer Spark would infer the schema from, if it is one of a data file.
     *
     * @return nothing if Spark would look at other files, or if this one cannot be read: Spark's own inference says then
     *     what is wrong, or does without it
     */
    static Optional<SchemaFooter> read(SparkSession session, Map<String, String> options, List<FileStatus> files) {
        SQLConf conf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .conf();
        if (files.isEmpty()
                || files.stream().anyMatch(file -> isSummary(file.getPath()))
                || new ParquetOptions(options, conf).mergeSchema()) {
            return Optional.empty();
        }
        // By name, as Spark's inference orders them.
        FileStatus first = files.stream()
                .min(Comparator.comparing(file -> file.getPath().toString()))
                .orElseThrow();
        FileRef file = FileRef.listed(first.getPath().toString(), first.getLen(), first.getModificationTime());
        try {
            return read(session, conf, options, file);
        } catch (IOException | RuntimeException e) {
            LOG.debug("the schema of {} is left to Spark's own inference", file.path(), e);
            return Optional.empty();
        }
    }

    private static Optional<SchemaFooter> read(
            SparkSession session, SQLConf conf, Map<String, String> options, FileRef file) throws IOException {
        ReadOptions readOptions =
                OptionsParser.read(scala.jdk.javaapi.CollectionConverters.asJava(options), SessionSettings.of(session));
        Configuration hadoopConf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConfWithOptions(options);
        ScanCounters counters = new ScanCounters();
        ParquetFooter.Parsed parsed = FooterReader.read(
                StoreAccess.of(hadoopConf, readOptions).of(file).source(),
                file,
                new TaskReadScope(counters, () -> false));
        if (!(parsed instanceof ParquetFooter.Parsed.Complete complete)) {
            return Optional.empty();
        }
        ParquetFooter footer = complete.footer();
        StructType schema = ParquetFileFormat.readSchemaFromFooter(
                new Footer(new Path(file.path()), footer.metadata()),
                new ParquetToSparkSchemaConverter(inferenceConf(conf)));
        return Optional.of(new SchemaFooter(schema, file, footer.tail(), counters.requests.sum(), System.nanoTime()));
    }

    private static SQLConf inferenceConf(SQLConf session) {
        SQLConf result = new SQLConf();
        for (String key : SETTINGS) {
            if (session.contains(key)) {
                result.setConfString(key, session.getConfString(key));
            }
        }
        return result;
    }

    private static boolean isSummary(Path path) {
        return path.getName().equals(ParquetFileWriter.PARQUET_METADATA_FILE)
                || path.getName().equals(ParquetFileWriter.PARQUET_COMMON_METADATA_FILE);
    }

    boolean isFresh() {
        return System.nanoTime() - readNanos < FRESH.toNanos();
    }
}
