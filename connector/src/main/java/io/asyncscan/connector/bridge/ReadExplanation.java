// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.Optional;
import org.apache.spark.sql.ExtendedExplainGenerator;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Says of each file scan of Spark's in a plan whether it reads ahead, and if not, why: what {@code EXPLAIN} and the SQL
 * tab show below the plan, which stays as it is.
 *
 * <p>Used on the driver, by any thread.
 *
 * <p>Internals: {@link ExtendedExplainGenerator}, which Spark asks; the nodes behind which it hides plans:
 * {@link AdaptiveSparkPlanExec} and {@link QueryStageExec}.
 */
public abstract class ReadExplanation implements ExtendedExplainGenerator {
    /** For the class that Spark's setting names. */
    protected ReadExplanation() {}

    @Override
    public final String title() {
        return "asyncscan";
    }

    @Override
    public final String generateExtendedInfo(SparkPlan plan) {
        StringBuilder lines = new StringBuilder();
        explain(plan, lines);
        return lines.isEmpty() ? "no file scan of Spark's\n" : lines.toString();
    }

    private static void explain(SparkPlan plan, StringBuilder lines) {
        if (plan instanceof AdaptiveSparkPlanExec adaptive) {
            explain(adaptive.executedPlan(), lines);
        } else if (plan instanceof QueryStageExec stage) {
            explain(stage.plan(), lines);
        } else if (plan instanceof AsyncReadExec read) {
            line(lines, read.scan(), FileScanRule.location(read.scan()), "reads ahead");
        } else if (plan instanceof BatchScanExec batch && batch.scan() instanceof SwappedFileScan swapped) {
            line(lines, plan, swapped.location(), "reads ahead");
        } else if (FileScanRule.isFileScan(plan)) {
            line(lines, plan, FileScanRule.location(plan), fate(plan));
        }
        for (SparkPlan child : CollectionConverters.asJava(plan.children())) {
            // The scan below our node has had its line.
            if (!(plan instanceof AsyncReadExec)) {
                explain(child, lines);
            }
        }
        for (SparkPlan subquery : CollectionConverters.asJava(plan.subqueries())) {
            explain(subquery, lines);
        }
    }

    private static void line(StringBuilder lines, SparkPlan scan, String location, String fate) {
        lines.append(scan.nodeName().trim())
                .append(" of ")
                .append(location)
                .append(": ")
                .append(fate)
                .append('\n');
    }

    /** What becomes of a scan that does not read ahead in the plan as it stands. */
    private static String fate(SparkPlan scan) {
        Optional<FileScanRule> rule = SessionExtension.rule(scan.session());
        if (rule.isEmpty()) {
            return "left to Spark: the session has no extension of asyncscan's";
        }
        FileScanRule.Outcome outcome = rule.get().outcome(scan);
        if (outcome instanceof FileScanRule.Outcome.Left left) {
            return "left to Spark: " + left.reason();
        }
        return outcome instanceof FileScanRule.Outcome.Failed failed
                ? "left to Spark: " + failed.cause()
                : "reads ahead once its stage is planned";
    }
}
