// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.RememberingFileSystem;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap$;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A file system whose files read ahead when a task opens them, from their beginning to their end. Spark infers a schema of
 * records that span lines in code of its own, which opens whole files by the configuration it is given; {@link #layOver}
 * makes that configuration name this class. All else is answered by the file system it stands in for.
 *
 * <p>Spark makes an instance for every file, and never closes it: it holds nothing.
 *
 * <p>Internals: {@link CaseInsensitiveMap$}, the kind of map Spark keeps options in.
 */
public final class InferenceFileSystem extends FilterFileSystem {
    private static final String PREFIX = "asyncscan.inference.";

    /** Before what stood in the configuration. */
    private static final String BEFORE = PREFIX + "before.";

    /** Before the options of the read. */
    private static final String OPTION = PREFIX + "option.";

    /** Where bytes come from: the store itself, whatever remembers its answers. */
    private StoreAccess stores;

    private ReadOptions options;

    /** Made by Hadoop, by reflection. */
    public InferenceFileSystem() {}

    /**
     * The options of a read, with which Spark opens {@code files} through this class.
     *
     * @param given those the read is resolved with
     */
    static scala.collection.immutable.Map<String, String> layOver(
            SparkSession session, scala.collection.immutable.Map<String, String> given, Seq<FileStatus> files) {
        Configuration conf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConfWithOptions(given);
        Map<String, String> all = new HashMap<>(CollectionConverters.asJava(given));
        OptionsParser.said(all, SessionSettings.of(session)).forEach((key, value) -> all.put(OPTION + key, value));
        for (FileStatus file : CollectionConverters.asJava(files)) {
            String scheme = file.getPath().toUri().getScheme();
            if (InferenceFileSystem.class.getName().equals(all.get(implKey(scheme)))) {
                continue;
            }
            for (String key : new String[] {implKey(scheme), disableCacheKey(scheme)}) {
                String before = conf.get(key);
                if (before != null) {
                    all.put(BEFORE + key, before);
                }
            }
            all.put(implKey(scheme), InferenceFileSystem.class.getName());
            all.put(disableCacheKey(scheme), "true");
        }
        return CaseInsensitiveMap$.MODULE$.apply(Map$.MODULE$.from(CollectionConverters.asScala(all)));
    }

    private static String implKey(String scheme) {
        return "fs." + scheme + ".impl";
    }

    private static String disableCacheKey(String scheme) {
        return "fs." + scheme + ".impl.disable.cache";
    }

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
        setConf(conf);
        Configuration before = new Configuration(conf);
        for (String key : new String[] {implKey(name.getScheme()), disableCacheKey(name.getScheme())}) {
            String value = conf.get(BEFORE + key);
            if (value == null) {
                before.unset(key);
            } else {
                before.set(key, value);
            }
        }
        fs = FileSystem.get(name, before);
        options = OptionsParser.read(conf.getPropsWithPrefix(OPTION), Map.of());
        stores = StoreAccess.of(RememberingFileSystem.behind(name, before), options);
    }

    /** {@inheritDoc} Whoever is not a task has no memory to read ahead with. */
    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        TaskContext context = TaskContext.get();
        if (context == null) {
            return fs.open(path, bufferSize);
        }
        Path full = makeQualified(path);
        FileStatus status = fs.getFileStatus(full);
        FileRef file = FileRef.listed(full.toString(), status.getLen(), status.getModificationTime());
        return FileStream.open(file, context, new TaskServices(options, stores, context), getConf());
    }

    @Override
    public void close() {
        // The file system behind it is Hadoop's cached one, which is nobody's to close.
    }
}
