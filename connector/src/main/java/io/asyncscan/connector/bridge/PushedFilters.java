// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * The filters of one scan. Lives on the driver. Two scans with the same filters have equal objects, whatever ids the
 * columns have in each: Spark reuses exchanges and subqueries by that.
 *
 * <p>Internals: Catalyst's {@link Expression}, because partition filters may be any deterministic expression, which the
 * public filter classes cannot express.
 */
public final class PushedFilters {
    private final Seq<Expression> partition;
    private final Seq<Expression> data;
    private final Filter[] pushed;
    private final Set<Expression> normalizedPartition;
    private final Set<Expression> normalizedData;

    PushedFilters(Seq<Expression> partition, Seq<Expression> data, Filter[] pushed, StructType schema) {
        this.partition = partition;
        this.data = data;
        this.pushed = pushed;
        this.normalizedPartition = normalize(partition, schema);
        this.normalizedData = normalize(data, schema);
    }

    /** The filters with column ids that depend on the schema only. */
    private static Set<Expression> normalize(Seq<Expression> filters, StructType schema) {
        Set<Expression> result = new HashSet<>();
        for (Expression filter : CollectionConverters.asJava(filters)) {
            result.add(filter.transformUp(new IdByPosition(schema)).canonicalized());
        }
        return result;
    }

    /** Gives each column of the schema its position as id. */
    private static final class IdByPosition extends AbstractPartialFunction<Expression, Expression> {
        private static final UUID FIXED = new UUID(0, 0);

        private final StructType schema;

        IdByPosition(StructType schema) {
            this.schema = schema;
        }

        @Override
        public boolean isDefinedAt(Expression expression) {
            return expression instanceof AttributeReference column
                    && schema.getFieldIndex(column.name()).isDefined();
        }

        @Override
        @SuppressWarnings("unchecked") // R is a supertype of what apply returns: Scala's signature says so
        public <A extends Expression, R> R applyOrElse(A expression, Function1<A, R> otherwise) {
            return isDefinedAt(expression) ? (R) apply(expression) : otherwise.apply(expression);
        }

        @Override
        public Expression apply(Expression expression) {
            AttributeReference column = (AttributeReference) expression;
            return column.withExprId(new ExprId(schema.fieldIndex(column.name()), FIXED));
        }
    }

    Seq<Expression> partition() {
        return partition;
    }

    Seq<Expression> data() {
        return data;
    }

    Filter[] pushed() {
        return pushed.clone();
    }

    /** The partition filters, to be shown to a person. */
    public String describePartition() {
        return describe(partition);
    }

    /** The filters on data columns, to be shown to a person. */
    public String describeData() {
        return describe(data);
    }

    /** The filters that Spark's reader applies to row groups and pages, to be shown to a person. */
    public String describePushed() {
        return List.of(pushed).toString();
    }

    private static String describe(Seq<Expression> filters) {
        return CollectionConverters.asJava(filters).toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PushedFilters filters
                && filters.normalizedPartition.equals(normalizedPartition)
                && filters.normalizedData.equals(normalizedData);
    }

    @Override
    public int hashCode() {
        return 31 * normalizedPartition.hashCode() + normalizedData.hashCode();
    }
}
