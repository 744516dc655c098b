// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Lets the file scans of a plan read ahead: each keeps its node, with a format that fetches through asyncscan, below an
 * {@link AsyncReadExec}; a version 2 file scan keeps its node and gets a {@link SwappedFileScan}. A scan that does not
 * qualify stays as it is; why is logged at debug level, and {@link ReadExplanation} tells it on demand.
 *
 * <p>Runs once per query, or per stage of an adaptive one, on the driver. Applying it again changes nothing.
 *
 * <p>Internals: {@link Rule} over {@link SparkPlan}s, {@link FileSourceScanExec} and {@link HadoopFsRelation}: the scan,
 * and where it has its format; {@link BatchScanExec} and {@link FileScan}, the same of version 2. The scan has to be
 * another one for the swap to take effect, and plans take equal nodes for the same: the node above, of another class,
 * makes the difference.
 */
final class FileScanRule extends Rule<SparkPlan> {
    private static final Logger LOG = LoggerFactory.getLogger(FileScanRule.class);

    private final SparkSession session;
    private final MetricSource metrics;

    FileScanRule(SparkSession session, MetricSource metrics) {
        this.session = session;
        this.metrics = metrics;
    }

    @Override
    public SparkPlan apply(SparkPlan plan) {
        if (plan instanceof AsyncReadExec) {
            return plan;
        }
        if (isFileScan(plan)) {
            return readAhead(plan);
        }
        return plan.mapChildren(this::apply);
    }

    /** Whether {@code plan} is a file scan of Spark's as Spark plans it. */
    static boolean isFileScan(SparkPlan plan) {
        return plan.getClass() == FileSourceScanExec.class
                || (plan instanceof BatchScanExec batch && batch.scan() instanceof FileScan);
    }

    /** Where the files of {@code scan} are, as it may be shown. */
    static String location(SparkPlan scan) {
        Seq<Path> roots = scan instanceof FileSourceScanExec source
                ? source.relation().location().rootPaths()
                : version2(scan).fileIndex().rootPaths();
        return Locations.describe(CollectionConverters.asJava(roots));
    }

    /** What becomes of a scan. */
    sealed interface Outcome {
        /** It reads ahead: {@code plan} takes its place. */
        record Taken(SparkPlan plan) implements Outcome {}

        /** It stays Spark's. */
        record Left(String reason) implements Outcome {}

        /** It stays Spark's, because asyncscan, or what it was told, is at fault. */
        record Failed(Throwable cause) implements Outcome {}
    }

    /** What becomes of {@code scan}, a file scan. Changes nothing. */
    Outcome outcome(SparkPlan scan) {
        try {
            Map<String, String> settings = SessionSettings.of(session);
            Optional<String> refusal = scan instanceof FileSourceScanExec source
                    ? ScanChoice.refusal(source, OptionsParser.extension(settings))
                    : ScanChoice.refusal(version2(scan), OptionsParser.extension(settings));
            if (refusal.isPresent()) {
                return new Outcome.Left(refusal.get());
            }
            return new Outcome.Taken(
                    scan instanceof FileSourceScanExec source
                            ? swap(source, settings)
                            : swap((BatchScanExec) scan, version2(scan), settings));
        } catch (RuntimeException | LinkageError e) {
            // Spark's own plan is there and right: a query must not fail because it could not be made faster.
            return new Outcome.Failed(e);
        }
    }

    /** What takes the place of {@code scan}; the scan itself if it is left to Spark. */
    private SparkPlan readAhead(SparkPlan scan) {
        Outcome outcome = outcome(scan);
        if (outcome instanceof Outcome.Taken taken) {
            return taken.plan();
        }
        if (outcome instanceof Outcome.Failed failed) {
            LOG.warn("asyncscan leaves a scan of {} to Spark", location(scan), failed.cause());
        } else {
            LOG.debug("{} is left to Spark: {}", location(scan), outcome);
        }
        return scan;
    }

    private static FileScan version2(SparkPlan scan) {
        return (FileScan) ((BatchScanExec) scan).scan();
    }

    /** A version 2 scan: its node asks the scan for its readers, so it is the scan that is another one. */
    private SparkPlan swap(BatchScanExec node, FileScan scan, Map<String, String> settings) {
        ReadOptions options = OptionsParser.swapped(VersionTwoScan.options(scan), settings);
        SwappedFileScan ours = new SwappedFileScan(scan, node::readerFactory, options, metrics);
        Object[] arguments = new Object[node.productArity()];
        for (int i = 0; i < arguments.length; i++) {
            Object argument = node.productElement(i);
            arguments[i] = argument == scan ? ours : argument;
        }
        // By reflection, as Spark copies nodes itself: the types of the arguments differ between its versions.
        SparkPlan swapped = node.makeCopy(arguments);
        swapped.copyTagsFrom(node);
        return swapped;
    }

    private SparkPlan swap(FileSourceScanExec scan, Map<String, String> settings) {
        HadoopFsRelation relation = scan.relation();
        ReadOptions options = OptionsParser.swapped(SessionSettings.of(relation), settings);
        FileFormat format = SwappedFormats.of(relation.fileFormat(), options);
        HadoopFsRelation swapped = new HadoopFsRelation(
                relation.location(),
                relation.partitionSchema(),
                relation.dataSchema(),
                relation.bucketSpec(),
                format,
                relation.options(),
                relation.sparkSession());
        FileSourceScanExec below = scan.copy(
                swapped,
                scan.stream(),
                scan.output(),
                scan.requiredSchema(),
                scan.partitionFilters(),
                scan.optionalBucketSet(),
                scan.optionalNumCoalescedBuckets(),
                scan.dataFilters(),
                scan.tableIdentifier(),
                scan.disableBucketedScan());
        // The link to the logical plan is one of the tags.
        below.copyTagsFrom(scan);
        AsyncReadExec node = new AsyncReadExec(below, metrics);
        node.copyTagsFrom(scan);
        return node;
    }
}
