// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ExtensionOptions;
import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the file scans of a plan read ahead: each keeps its node, with a format that fetches through asyncscan, below an
 * {@link AsyncReadExec}. A scan that does not qualify stays as it is; why is logged at debug level.
 *
 * <p>Runs once per query, or per stage of an adaptive one, on the driver. Applying it again changes nothing.
 *
 * <p>Internals: {@link Rule} over {@link SparkPlan}s, {@link FileSourceScanExec} and {@link HadoopFsRelation}: the scan,
 * and where it has its format. The scan has to be another one for the swap to take effect, and plans take equal nodes
 * for the same: the node above, of another class, makes the difference.
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
            return readAhead((FileSourceScanExec) plan);
        }
        return plan.mapChildren(this::apply);
    }

    /** The scan below its node, or as it is. */
    private SparkPlan readAhead(FileSourceScanExec scan) {
        try {
            Map<String, String> settings = SessionSettings.of(session);
            ExtensionOptions extension = OptionsParser.extension(settings);
            Optional<String> refusal = ScanChoice.refusal(scan, extension);
            if (refusal.isPresent()) {
                LOG.debug("{} is left to Spark: {}", scan.relation().location().rootPaths(), refusal.get());
                return scan;
            }
            ReadOptions options = OptionsParser.swapped(SessionSettings.of(scan.relation()), settings);
            return swap(scan, SwappedFormats.of(scan.relation().fileFormat(), options));
        } catch (RuntimeException e) {
            // Spark's own plan is there and right: a query must not fail because it could not be made faster.
            LOG.warn(
                    "asyncscan leaves a scan of {} to Spark",
                    scan.relation().location().rootPaths(),
                    e);
            return scan;
        }
    }

    private SparkPlan swap(FileSourceScanExec scan, FileFormat format) {
        HadoopFsRelation relation = scan.relation();
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
