// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.run;

import java.util.OptionalDouble;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.jdk.javaapi.CollectionConverters;

/** Reads asyncscan's metrics from a plan that was executed: those that the SQL tab of Spark's UI shows. */
final class PlanMetrics {
    /** The metric's name in the UI. Its value counts milliseconds. */
    private static final String STALL = "stall time";

    private PlanMetrics() {}

    /** How long all tasks together waited for bytes, in seconds; empty if no node of the plan has such a metric. */
    static OptionalDouble stallSeconds(SparkPlan plan) {
        OptionalDouble found = OptionalDouble.empty();
        for (SQLMetric metric : CollectionConverters.asJava(plan.metrics()).values()) {
            if (metric.name().isDefined() && metric.name().get().equals(STALL)) {
                found = sum(found, OptionalDouble.of((double) metric.value() / 1e3));
            }
        }
        if (plan instanceof AdaptiveSparkPlanExec adaptive) {
            return sum(found, stallSeconds(adaptive.executedPlan()));
        }
        if (plan instanceof QueryStageExec stage) {
            return sum(found, stallSeconds(stage.plan()));
        }
        for (SparkPlan child : CollectionConverters.asJava(plan.children())) {
            found = sum(found, stallSeconds(child));
        }
        return found;
    }

    private static OptionalDouble sum(OptionalDouble a, OptionalDouble b) {
        if (a.isEmpty() || b.isEmpty()) {
            return a.isEmpty() ? b : a;
        }
        return OptionalDouble.of(a.getAsDouble() + b.getAsDouble());
    }
}
