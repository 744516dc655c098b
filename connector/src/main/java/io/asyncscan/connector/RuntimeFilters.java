// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.ScanSupport;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.StructType;

/**
 * Filters on partition columns that became known while the query runs: {@code IN} lists from the other side of a join.
 * A predicate of a kind that is not known here keeps every file; Spark joins anyhow.
 */
final class RuntimeFilters {
    private final List<Predicate> predicates;
    private final StructType partitionSchema;
    private final ScanSupport support;

    RuntimeFilters(List<Predicate> predicates, StructType partitionSchema, ScanSupport support) {
        this.predicates = predicates;
        this.partitionSchema = partitionSchema;
        this.support = support;
    }

    /** Whether files with these partition values may have matching rows. */
    boolean keep(InternalRow partitionValues) {
        for (Predicate predicate : predicates) {
            if (!keep(predicate, partitionValues)) {
                return false;
            }
        }
        return true;
    }

    private boolean keep(Predicate predicate, InternalRow values) {
        Expression[] children = predicate.children();
        if (!predicate.name().equals("IN")
                || !(children[0] instanceof NamedReference reference)
                || reference.fieldNames().length != 1) {
            return true;
        }
        int ordinal = support.partitionOrdinal(partitionSchema, reference.fieldNames()[0]);
        if (values.isNullAt(ordinal)) {
            // NULL equals nothing.
            return false;
        }
        Object value = values.get(ordinal, partitionSchema.fields()[ordinal].dataType());
        for (int i = 1; i < children.length; i++) {
            if (!(children[i] instanceof Literal<?> literal) || mayEqual(value, literal.value())) {
                return true;
            }
        }
        return false;
    }

    /** Equality in SQL's sense for values in Spark's internal form; when in doubt, yes. */
    private static boolean mayEqual(Object a, Object b) {
        if (b == null) {
            return false;
        }
        if (a instanceof Double x && b instanceof Double y) {
            return x.doubleValue() == y.doubleValue() || (x.isNaN() && y.isNaN());
        }
        if (a instanceof Float x && b instanceof Float y) {
            return x.floatValue() == y.floatValue() || (x.isNaN() && y.isNaN());
        }
        return a.getClass() != b.getClass() || a instanceof byte[] || a.equals(b);
    }
}
