// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.storage.RememberingFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private final Map<String, String> options;
    private final RememberingFileSystem.Resolution resolution;

    private ResolvingOptions(Map<String, String> options, RememberingFileSystem.Resolution resolution) {
        this.options = options;
        this.resolution = resolution;
    }

    /** Starts to resolve a read of {@code paths}. */
    static ResolvingOptions open(SparkSession session, List<String> paths, Map<String, String> options) {
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
            return new ResolvingOptions(laidOver, resolution);
        } catch (IOException | RuntimeException e) {
            // Spark meets the same when it resolves the paths, and says it in its own words.
            LOG.debug("resolving {} without remembering", paths, e);
            return new ResolvingOptions(options, null);
        }
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
