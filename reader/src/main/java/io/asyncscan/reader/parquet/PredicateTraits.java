// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import java.util.HashSet;
import java.util.Set;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators.And;
import org.apache.parquet.filter2.predicate.Operators.Column;
import org.apache.parquet.filter2.predicate.Operators.Contains;
import org.apache.parquet.filter2.predicate.Operators.Eq;
import org.apache.parquet.filter2.predicate.Operators.Gt;
import org.apache.parquet.filter2.predicate.Operators.GtEq;
import org.apache.parquet.filter2.predicate.Operators.In;
import org.apache.parquet.filter2.predicate.Operators.LogicalNotUserDefined;
import org.apache.parquet.filter2.predicate.Operators.Lt;
import org.apache.parquet.filter2.predicate.Operators.LtEq;
import org.apache.parquet.filter2.predicate.Operators.Not;
import org.apache.parquet.filter2.predicate.Operators.NotEq;
import org.apache.parquet.filter2.predicate.Operators.NotIn;
import org.apache.parquet.filter2.predicate.Operators.Or;
import org.apache.parquet.filter2.predicate.Operators.UserDefined;
import org.apache.parquet.filter2.predicate.UserDefinedPredicate;
import org.apache.parquet.hadoop.metadata.ColumnPath;

/**
 * What a predicate needs and what could prune for it.
 *
 * @param columns all columns it looks at
 * @param selective whether a dictionary or a bloom filter may rule a row group out that its minimum and maximum do not:
 *     true for equality, {@code IN} and string patterns. For a range that overlaps the row group's, hardly ever
 */
record PredicateTraits(Set<ColumnPath> columns, boolean selective) {
    static final PredicateTraits NONE = new PredicateTraits(Set.of(), false);

    static PredicateTraits of(FilterPredicate predicate) {
        Set<ColumnPath> columns = new HashSet<>();
        boolean selective = predicate.accept(new Collector(columns));
        return new PredicateTraits(Set.copyOf(columns), selective);
    }

    /** Collects columns; answers whether the part visited is selective. */
    private record Collector(Set<ColumnPath> columns) implements FilterPredicate.Visitor<Boolean> {
        private boolean note(Column<?> column, boolean selective) {
            columns.add(column.getColumnPath());
            return selective;
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(Eq<T> eq) {
            return note(eq.getColumn(), eq.getValue() != null);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(NotEq<T> notEq) {
            return note(notEq.getColumn(), false);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(Lt<T> lt) {
            return note(lt.getColumn(), false);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(LtEq<T> ltEq) {
            return note(ltEq.getColumn(), false);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(Gt<T> gt) {
            return note(gt.getColumn(), false);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(GtEq<T> gtEq) {
            return note(gtEq.getColumn(), false);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(In<T> in) {
            return note(in.getColumn(), true);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(NotIn<T> notIn) {
            return note(notIn.getColumn(), false);
        }

        @Override
        public <T extends Comparable<T>> Boolean visit(Contains<T> contains) {
            return note(contains.getColumn(), true);
        }

        @Override
        public Boolean visit(And and) {
            boolean left = and.getLeft().accept(this);
            boolean right = and.getRight().accept(this);
            return left || right;
        }

        @Override
        public Boolean visit(Or or) {
            boolean left = or.getLeft().accept(this);
            boolean right = or.getRight().accept(this);
            return left && right;
        }

        @Override
        public Boolean visit(Not not) {
            not.getPredicate().accept(this);
            return false;
        }

        @Override
        public <T extends Comparable<T>, U extends UserDefinedPredicate<T>> Boolean visit(UserDefined<T, U> udp) {
            return note(udp.getColumn(), true);
        }

        @Override
        public <T extends Comparable<T>, U extends UserDefinedPredicate<T>> Boolean visit(
                LogicalNotUserDefined<T, U> not) {
            not.getUserDefined().accept(this);
            return false;
        }
    }
}
