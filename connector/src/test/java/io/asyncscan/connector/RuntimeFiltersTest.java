// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class RuntimeFiltersTest {
    private static boolean keep(DataType type, Object value, Predicate... predicates) {
        StructType schema = new StructType().add("p", type);
        InternalRow values = new GenericInternalRow(new Object[] {value});
        return new RuntimeFilters(List.of(predicates), schema, (struct, name) -> struct.fieldIndex(name)).keep(values);
    }

    private static Predicate in(Object... values) {
        Expression[] children = new Expression[values.length + 1];
        children[0] = Expressions.column("p");
        for (int i = 0; i < values.length; i++) {
            children[i + 1] = Expressions.literal(values[i]);
        }
        return new Predicate("IN", children);
    }

    @Test
    void keepsWhatIsInTheList() {
        assertEquals(true, keep(DataTypes.IntegerType, 2, in(1, 2, 3)));
        assertEquals(false, keep(DataTypes.IntegerType, 4, in(1, 2, 3)));
        assertEquals(false, keep(DataTypes.IntegerType, 4, in()));
        assertEquals(true, keep(DataTypes.IntegerType, 4));
        assertEquals(false, keep(DataTypes.IntegerType, 1, in(1, 2), in(2, 3)), "every filter has to hold");
        assertEquals(true, keep(DataTypes.IntegerType, 2, in(1, 2), in(2, 3)));
    }

    @Test
    void nullEqualsNothing() {
        assertEquals(false, keep(DataTypes.IntegerType, null, in(1)));
        assertEquals(false, keep(DataTypes.IntegerType, 1, in((Object) null)));
    }

    @Test
    void numbersAreEqualAsInSql() {
        assertEquals(true, keep(DataTypes.DoubleType, -0.0, in(0.0)));
        assertEquals(true, keep(DataTypes.DoubleType, Double.NaN, in(Double.NaN)));
        assertEquals(true, keep(DataTypes.FloatType, 0.0f, in(-0.0f)));
        assertEquals(false, keep(DataTypes.DoubleType, 1.0, in(2.0)));
        assertEquals(true, keep(DataTypes.LongType, 1L, in(2)), "types that differ are not judged");
    }

    @Test
    void stringsAreEqualByTheirCollation() {
        UTF8String a = UTF8String.fromString("a");
        UTF8String upper = UTF8String.fromString("A");
        assertEquals(true, keep(DataTypes.StringType, a, in(a)));
        assertEquals(false, keep(DataTypes.StringType, a, in(upper)));
        assertEquals(true, keep(StringType$.MODULE$.apply("UTF8_LCASE"), a, in(upper)));
    }

    @Test
    void whatIsNotKnownKeepsEveryFile() {
        Predicate other = new Predicate("=", new Expression[] {Expressions.column("p"), Expressions.literal(1)});
        assertEquals(true, keep(DataTypes.IntegerType, 2, other));
        Predicate nested = new Predicate("IN", new Expression[] {Expressions.column("p.q"), Expressions.literal(1)});
        assertEquals(true, keep(DataTypes.IntegerType, 2, nested));
        Predicate columns = new Predicate("IN", new Expression[] {Expressions.column("p"), Expressions.column("q")});
        assertEquals(true, keep(DataTypes.IntegerType, 2, columns));
    }
}
