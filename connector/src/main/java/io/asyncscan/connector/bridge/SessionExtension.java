// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * What {@code spark.sql.extensions} names: adds the rule that lets Spark's own file scans read ahead to each session.
 *
 * <p>Internals: {@link SparkSessionExtensions#injectColumnar}, the hook that sees physical plans last: after dynamic
 * pruning, bucketing and the reuse of exchanges were planned, with and without adaptive execution, for rows and batches.
 */
public abstract class SessionExtension extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    /** For the extension. */
    protected SessionExtension() {}

    /** The metrics of the scans that read ahead. */
    protected abstract MetricSource metrics();

    @Override
    public final BoxedUnit apply(SparkSessionExtensions extensions) {
        MetricSource metrics = metrics();
        extensions.injectColumnar(session -> new Hook(new FileScanRule(session, metrics)));
        return BoxedUnit.UNIT;
    }

    /** The rule of {@code session}, if it has the extension. */
    static Optional<FileScanRule> rule(SparkSession session) {
        for (ColumnarRule each : CollectionConverters.asJava(((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .columnarRules())) {
            if (each instanceof Hook hook) {
                return Optional.of(hook.rule);
            }
        }
        return Optional.empty();
    }

    private static final class Hook extends ColumnarRule {
        private final FileScanRule rule;

        Hook(FileScanRule rule) {
            this.rule = rule;
        }

        @Override
        public Rule<SparkPlan> preColumnarTransitions() {
            return rule;
        }
    }
}
