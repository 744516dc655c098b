// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import static org.apache.parquet.filter2.predicate.FilterApi.and;
import static org.apache.parquet.filter2.predicate.FilterApi.contains;
import static org.apache.parquet.filter2.predicate.FilterApi.eq;
import static org.apache.parquet.filter2.predicate.FilterApi.gt;
import static org.apache.parquet.filter2.predicate.FilterApi.gtEq;
import static org.apache.parquet.filter2.predicate.FilterApi.in;
import static org.apache.parquet.filter2.predicate.FilterApi.intColumn;
import static org.apache.parquet.filter2.predicate.FilterApi.lt;
import static org.apache.parquet.filter2.predicate.FilterApi.ltEq;
import static org.apache.parquet.filter2.predicate.FilterApi.not;
import static org.apache.parquet.filter2.predicate.FilterApi.notEq;
import static org.apache.parquet.filter2.predicate.FilterApi.notIn;
import static org.apache.parquet.filter2.predicate.FilterApi.or;
import static org.apache.parquet.filter2.predicate.FilterApi.userDefined;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators.IntColumn;
import org.apache.parquet.filter2.predicate.Statistics;
import org.apache.parquet.filter2.predicate.UserDefinedPredicate;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.junit.jupiter.api.Test;

class PredicateTraitsTest {
    private static final IntColumn A = intColumn("a");
    private static final IntColumn B = intColumn("b.c");

    @Test
    void equalityAndListsAreSelective() {
        check(eq(A, 1), true, "a");
        check(in(A, new HashSet<>(List.of(1, 2))), true, "a");
        check(contains(eq(A, 1)), true, "a");
        check(userDefined(A, Odd.class), true, "a");
    }

    @Test
    void rangesAndNegationsAreNot() {
        check(eq(A, null), false, "a");
        check(notEq(A, 1), false, "a");
        check(lt(A, 1), false, "a");
        check(ltEq(A, 1), false, "a");
        check(gt(A, 1), false, "a");
        check(gtEq(A, 1), false, "a");
        check(notIn(A, new HashSet<>(List.of(1))), false, "a");
        check(not(eq(A, 1)), false, "a");
        check(not(userDefined(A, Odd.class)), false, "a");
    }

    @Test
    void oneSelectivePartOfAConjunctionIsEnoughAllOfADisjunctionAreNeeded() {
        check(and(eq(A, 1), lt(B, 2)), true, "a", "b.c");
        check(and(lt(A, 1), eq(B, 2)), true, "a", "b.c");
        check(and(lt(A, 1), lt(B, 2)), false, "a", "b.c");
        check(or(eq(A, 1), lt(B, 2)), false, "a", "b.c");
        check(or(lt(A, 1), eq(B, 2)), false, "a", "b.c");
        check(or(eq(A, 1), eq(B, 2)), true, "a", "b.c");
    }

    private static void check(FilterPredicate predicate, boolean selective, String... columns) {
        Set<ColumnPath> paths = new HashSet<>();
        for (String column : columns) {
            paths.add(ColumnPath.fromDotString(column));
        }
        assertEquals(new PredicateTraits(paths, selective), PredicateTraits.of(predicate), predicate.toString());
    }

    /** Keeps odd numbers. */
    public static final class Odd extends UserDefinedPredicate<Integer> implements Serializable {
        private static final long serialVersionUID = 1L;

        /** Made by reflection. */
        public Odd() {}

        @Override
        public boolean keep(Integer value) {
            return value != null && value % 2 != 0;
        }

        @Override
        public boolean canDrop(Statistics<Integer> statistics) {
            return false;
        }

        @Override
        public boolean inverseCanDrop(Statistics<Integer> statistics) {
            return false;
        }
    }
}
