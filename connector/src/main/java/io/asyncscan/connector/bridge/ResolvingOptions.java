// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.parquet.ParquetFooter;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.RememberingFileSystem;
import io.asyncscan.reader.view.TaskReadScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap$;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The options a read is resolved with: the user's, and those that make object stores answer each question once
 * ({@link RememberingFileSystem}). The latter are for resolving only; what reads is given {@link #without} them.
 *
 * <p>Internals: {@link CaseInsensitiveMap$}, the kind of map Spark keeps options in.
 */
final class ResolvingOptions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ResolvingOptions.class);

    private static final String PARQUET_ENDING = ".parquet";

    /** What makes a path a pattern. */
    private static final Pattern GLOB = Pattern.compile("[{}\\[\\]*?\\\\]");

    private static final Set<ReadOptions.FileFormat> PARQUET_READS =
            Set.of(ReadOptions.FileFormat.AUTO, ReadOptions.FileFormat.PARQUET);

    /** Bytes to read of a file whose length nobody knows: {@link ParquetFooter#firstGuess} of a large one. */
    private static final int FIRST_READ = ParquetFooter.firstGuess(Long.MAX_VALUE);

    private final Map<String, String> options;
    private final RememberingFileSystem.Resolution resolution;

    private ResolvingOptions(Map<String, String> options, RememberingFileSystem.Resolution resolution) {
        this.options = options;
        this.resolution = resolution;
    }

    /**
     * Starts to resolve a read of {@code paths}.
     *
     * @param infers whether the schema comes out of the first file
     */
    static ResolvingOptions open(
            SparkSession session, List<String> paths, Map<String, String> options, boolean infers) {
        Configuration conf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConfWithOptions(
                        scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options)));
        try {
            List<Path> all = new ArrayList<>();
            for (String path : paths) {
                all.add(new Path(path));
            }
            RememberingFileSystem.Resolution resolution = RememberingFileSystem.open(conf, all);
            Map<String, String> laidOver = new HashMap<>(options);
            laidOver.putAll(resolution.settings());
            ResolvingOptions result = new ResolvingOptions(laidOver, resolution);
            if (infers && all.size() == 1 && !resolution.settings().isEmpty()) {
                result.tryOpen(session, conf, all.get(0));
            }
            return result;
        } catch (IOException | RuntimeException e) {
            // Spark meets the same when it resolves the paths, and says it in its own words.
            LOG.debug("resolving {} without remembering", paths, e);
            return new ResolvingOptions(options, null);
        }
    }

    /** A path that ends like a Parquet file is read at its end at once: that is where the schema is, if it is one. */
    private void tryOpen(SparkSession session, Configuration conf, Path path) throws IOException {
        ReadOptions readOptions = OptionsParser.read(options, SessionSettings.of(session));
        if (!path.getName().endsWith(PARQUET_ENDING)
                || GLOB.matcher(path.toString()).find()
                || !PARQUET_READS.contains(readOptions.fileFormat())) {
            return;
        }
        Path full = path.getFileSystem(conf).makeQualified(path);
        FileRef nothingKnown = FileRef.listed(full.toString(), 0, 0);
        ByteSource source = StoreAccess.of(conf, readOptions).of(nothingKnown).source();
        resolution.tryOpen(source, full, FIRST_READ, new TaskReadScope(new ScanCounters(), () -> false));
    }

    /** The end of {@code file}, if that was read while resolving; {@code options} are those laid over. */
    static Optional<FileTail> opened(scala.collection.immutable.Map<String, String> options, FileRef file) {
        return RememberingFileSystem.opened(CollectionConverters.asJava(options), file);
    }

    Map<String, String> options() {
        return options;
    }

    /** {@code options} as the user gave them. */
    static scala.collection.immutable.Map<String, String> without(
            scala.collection.immutable.Map<String, String> options) {
        Map<String, String> given = CollectionConverters.asJava(options);
        Map<String, String> cleaned = RememberingFileSystem.without(given);
        return cleaned.size() == given.size()
                ? options
                : CaseInsensitiveMap$.MODULE$.apply(
                        scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(cleaned)));
    }

    @Override
    public void close() {
        if (resolution != null) {
            resolution.close();
        }
    }
}
