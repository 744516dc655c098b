// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.parquet.FooterReader;
import io.asyncscan.reader.parquet.ParquetFooter;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.view.TaskReadScope;
import java.io.IOException;
import java.util.ArrayList;
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
import scala.jdk.javaapi.CollectionConverters;

/**
 * Infers the schema of a Parquet read out of one footer, read on the driver with one request, where Spark starts a job
 * whose task sends two, one after the other. The bytes serve planning as well, if it comes soon enough; so do the footers
 * of the other files, if there are few: they are asked for at the same time.
 *
 * <p>Internals: {@link ParquetFileFormat#readSchemaFromFooter} and {@link ParquetToSparkSchemaConverter}, because the
 * schema has to be the one Spark infers.
 */
final class SchemaInference {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaInference.class);

    /** The settings that Spark's own inference hands to its converter; it leaves all others at their defaults. */
    private static final List<String> SETTINGS = List.of(
            "spark.sql.parquet.binaryAsString",
            "spark.sql.parquet.int96AsTimestamp",
            "spark.sql.parquet.inferTimestampNTZ.enabled",
            "spark.sql.legacy.parquet.nanosAsLong",
            "spark.sql.parquet.reader.respectUnknownTypeAnnotation.enabled");

    private final SparkSession session;
    private final SQLConf conf;

    /** The read's options, with those it is resolved with. */
    private final Map<String, String> resolving;

    private final Map<String, String> options;
    private final List<FileStatus> files;
    private FootersAhead footers = FootersAhead.NONE;

    /** @param resolving the read's options, laid over by {@link ResolvingOptions} */
    SchemaInference(SparkSession session, Map<String, String> resolving, List<FileStatus> files) {
        this.session = session;
        this.conf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .conf();
        this.resolving = resolving;
        this.options = ResolvingOptions.without(resolving);
        this.files = files;
    }

    /** What was read by the way. */
    FootersAhead footers() {
        return footers;
    }

    /**
     * Reads the footer Spark would infer the schema from, if it is one of a data file.
     *
     * @return nothing if Spark would look at other files, or if this one cannot be read: Spark's own inference says then
     *     what is wrong, or does without it
     */
    Optional<StructType> infer() {
        if (files.isEmpty()
                || files.stream().anyMatch(file -> isSummary(file.getPath()))
                || new ParquetOptions(options, conf).mergeSchema()) {
            return Optional.empty();
        }
        List<FileRef> refs = new ArrayList<>();
        for (FileStatus file : files) {
            refs.add(FileRef.listed(file.getPath().toString(), file.getLen(), file.getModificationTime()));
        }
        // By name, as Spark's inference orders them.
        refs.sort(Comparator.comparing(FileRef::path));
        FileRef first = refs.get(0);
        try {
            Configuration hadoopConf = ((org.apache.spark.sql.classic.SparkSession) session)
                    .sessionState()
                    .newHadoopConfWithOptions(options);
            StoreAccess stores = StoreAccess.of(
                    hadoopConf, OptionsParser.read(CollectionConverters.asJava(options), SessionSettings.of(session)));
            return infer(stores.of(first).source(), first, refs.subList(1, refs.size()));
        } catch (IOException | RuntimeException e) {
            LOG.debug("the schema of {} is left to Spark's own inference", first.path(), e);
            return Optional.empty();
        }
    }

    private Optional<StructType> infer(ByteSource source, FileRef first, List<FileRef> others) throws IOException {
        Optional<FileTail> opened = ResolvingOptions.opened(resolving, first);
        footers = FootersAhead.start(source, first, others);
        ScanCounters counters = new ScanCounters();
        TaskReadScope scope = new TaskReadScope(counters, () -> false);
        ParquetFooter.Parsed parsed = opened.isPresent()
                ? FooterReader.complete(source, opened.get(), scope)
                : FooterReader.read(source, first, scope);
        if (!(parsed instanceof ParquetFooter.Parsed.Complete complete)) {
            return Optional.empty();
        }
        ParquetFooter footer = complete.footer();
        StructType schema = ParquetFileFormat.readSchemaFromFooter(
                new Footer(new Path(first.path()), footer.metadata()),
                new ParquetToSparkSchemaConverter(inferenceConf(conf)));
        footers.add(
                first,
                new ScanSupport.InferredFrom(
                        footer.tail(),
                        counters.requests.sum() + opened.map(tail -> 1).orElse(0)));
        return Optional.of(schema);
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
}
