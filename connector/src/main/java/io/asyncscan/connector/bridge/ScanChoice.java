// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ExtensionOptions;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Which file scans of Spark's the session extension takes.
 *
 * <p>Internals: {@link FileSourceScanExec} and {@link FileScan}, which know what is scanned; the session's state, for the Hadoop
 * configuration that the scan is going to have.
 */
final class ScanChoice {
    /** The setting that makes Parquet's reader decrypt. */
    private static final String DECRYPTION = "parquet.crypto.factory.class";

    private ScanChoice() {}

    /** Why {@code scan} is left to Spark; nothing if it is taken. */
    static Optional<String> refusal(FileSourceScanExec scan, ExtensionOptions options) {
        if (!options.enabled()) {
            return Optional.of("the extension is switched off");
        }
        if (scan.stream().isDefined()) {
            return Optional.of("it reads a stream");
        }
        if (!SwappedFormats.isKnown(scan.relation().fileFormat())) {
            return Optional.of(
                    "its format is " + scan.relation().fileFormat().getClass().getName());
        }
        Configuration conf =
                conf(scan.relation().sparkSession(), scan.relation().options());
        return refusal(scan.relation().location().rootPaths(), conf, options);
    }

    /** Why {@code scan} is left to Spark; nothing if it is taken. */
    static Optional<String> refusal(FileScan scan, ExtensionOptions options) {
        if (!options.enabled()) {
            return Optional.of("the extension is switched off");
        }
        Optional<String> refusal = VersionTwoScan.refusal(scan);
        return refusal.isPresent()
                ? refusal
                : refusal(scan.fileIndex().rootPaths(), VersionTwoScan.hadoopConf(scan), options);
    }

    /** Why files below {@code roots} are left to Spark; nothing if they are taken. */
    static Optional<String> refusal(Seq<Path> roots, Configuration conf, ExtensionOptions options) {
        Set<String> schemes = new TreeSet<>();
        for (Path root : CollectionConverters.asJava(roots)) {
            String scheme = root.toUri().getScheme();
            schemes.add(scheme == null ? FileSystem.getDefaultUri(conf).getScheme() : scheme);
        }
        if (schemes.stream().noneMatch(options::takes)) {
            return Optional.of("its paths have the schemes " + schemes);
        }
        if (conf.get(DECRYPTION) != null) {
            return Optional.of("its files may be encrypted");
        }
        return Optional.empty();
    }

    private static Configuration conf(SparkSession session, Map<String, String> options) {
        return ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConfWithOptions(options);
    }
}
