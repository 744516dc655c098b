// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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
 * qualify stays as it is; why is logged at debug level.
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
        if (plan.getClass() == FileSourceScanExec.class) {
            FileSourceScanExec scan = (FileSourceScanExec) plan;
            return readAhead(plan, scan.relation().location().rootPaths(), settings -> {
                Optional<String> refusal = ScanChoice.refusal(scan, OptionsParser.extension(settings));
                return refusal.isPresent() ? new Outcome.Left(refusal.get()) : new Outcome.Taken(swap(scan, settings));
            });
        }
        if (plan instanceof BatchScanExec batch && batch.scan() instanceof FileScan scan) {
            return readAhead(plan, scan.fileIndex().rootPaths(), settings -> {
                Optional<String> refusal = ScanChoice.refusal(scan, OptionsParser.extension(settings));
                return refusal.isPresent()
                        ? new Outcome.Left(refusal.get())
                        : new Outcome.Taken(swap(batch, scan, settings));
            });
        }
        return plan.mapChildren(this::apply);
    }

    /** What becomes of a scan. */
    private sealed interface Outcome {
        record Taken(SparkPlan plan) implements Outcome {}

        record Left(String reason) implements Outcome {}
    }

    /** What {@code choice} makes of a scan; the scan itself if that cannot be had. */
    private SparkPlan readAhead(SparkPlan scan, Seq<Path> roots, Function<Map<String, String>, Outcome> choice) {
        try {
            Outcome outcome = choice.apply(SessionSettings.of(session));
            if (outcome instanceof Outcome.Taken taken) {
                return taken.plan();
            }
            LOG.debug("{} is left to Spark: {}", Locations.describe(CollectionConverters.asJava(roots)), outcome);
            return scan;
        } catch (RuntimeException | LinkageError e) {
            // Spark's own plan is there and right: a query must not fail because it could not be made faster.
            LOG.warn(
                    "asyncscan leaves a scan of {} to Spark",
                    Locations.describe(CollectionConverters.asJava(roots)),
                    e);
            return scan;
        }
    }

    /** A version 2 scan: its node asks the scan for its readers, so it is the scan that is another one. */
    private SparkPlan swap(BatchScanExec node, FileScan scan, Map<String, String> settings) {
        ReadOptions options = OptionsParser.swapped(VersionTwoScan.options(scan), settings);
        Object[] arguments = new Object[node.productArity()];
        for (int i = 0; i < arguments.length; i++) {
            Object argument = node.productElement(i);
            arguments[i] = argument == scan ? new SwappedFileScan(scan, options, metrics) : argument;
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
