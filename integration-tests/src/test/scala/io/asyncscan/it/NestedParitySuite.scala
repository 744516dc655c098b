// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.parquet.example.data.Group
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.StructType

/** Structs, arrays, maps and variants, whole and in part. */
abstract class NestedParitySuite(store: Store) extends ParitySuite(store) {

  private def frame: DataFrame = spark
    .range(0, 600, 1, 2)
    .selectExpr(
      "id",
      "if(id % 7 = 0, null, named_struct('a', id, 'b', if(id % 3 = 0, null, concat('b', id)), " +
        "'deep', named_struct('x', id * 2, 'y', array(id, null, id + 1)))) as s",
      "if(id % 5 = 0, null, sequence(0, id % 6)) as xs",
      "if(id % 4 = 0, array(), array(named_struct('k', id, 'v', concat('v', id)), null)) as structs",
      "if(id % 6 = 0, null, map(concat('k', id % 3), id, 'other', null)) as m",
      "map(id, named_struct('p', id, 'q', array(named_struct('r', id, 'z', -id)))) as ms",
      "array(array(id, id + 1), array(), null) as nested"
    )

  private def data: String = written("nested", frame)(_.option("parquet.block.size", "16384"))

  test("nested columns whole") {
    val path = data
    eachReader(_ => assertParity(Seq(path))(identity))
  }

  test("nested columns in part") {
    val path = data
    eachReader { _ =>
      assertParity(Seq(path))(_.selectExpr("s.a"))
      assertParity(Seq(path))(_.selectExpr("s.deep.x", "structs.v"))
      assertParity(Seq(path))(_.selectExpr("ms[id].q.z", "m['other']", "map_keys(ms)"))
      assertParity(Seq(path))(_.selectExpr("s.deep.y[1]", "size(xs)", "nested[0][1]", "s is null"))
    }
  }

  test("a leaf of a struct costs less than the struct") {
    // Large enough not to be fetched whole with its footer.
    val path = written(
      "nested-large",
      spark.range(0, 40000, 1, 1).selectExpr("named_struct('a', id, 'b', repeat(sha2(cast(id as string), 256), 2)) as s")
    )(_.option("parquet.enable.dictionary", "false").option("compression", "uncompressed"))
    val whole = assertParity(Seq(path))(_.selectExpr("count(s.a)", "count(s.b)"))
    val part = assertParity(Seq(path))(_.selectExpr("sum(s.a)"))
    whenUnderTest(assert(part.metric("bytesFetched") * 4 < whole.metric("bytesFetched")))
  }

  test("filters on nested fields") {
    val path = data
    eachReader { _ =>
      assertParity(Seq(path))(_.where("s.a > 400").select("id"))
      assertParity(Seq(path))(_.where("s.deep.x = 44").selectExpr("s.b"))
      assertParity(Seq(path))(_.where("s is null").select("id"))
      assertParity(Seq(path))(_.where("s.b is null and s.a < 50").selectExpr("s.a"))
      assertParity(Seq(path))(_.where("m['other'] is null and size(xs) > 2").select("id", "xs"))
    }
  }

  test("structs whose requested children are all missing") {
    val path = written(
      "missing-children",
      spark.sql(
        """select * from values
          |  (1, named_struct('a', 1, 'b', 'x'), array(named_struct('a', 1), null)),
          |  (2, null, null),
          |  (3, named_struct('a', cast(null as int), 'b', cast(null as string)), array())
          |as t(id, s, xs)""".stripMargin
      )
    )(identity)
    val other = StructType.fromDDL("id int, s struct<c: int, d: string>, xs array<struct<z: int>>")
    val some = StructType.fromDDL("id int, s struct<a: int, d: string>, xs array<struct<a: int, z: int>>")
    eachReader { _ =>
      assertParity(Seq(path), schema = Some(other))(identity)
      assertParity(Seq(path), schema = Some(some))(identity)
      assertParity(Seq(path), schema = Some(other))(_.select("s.c"))
    }
    if (SparkHarness.sparkAtLeast(4, 1)) {
      val rows = assertParity(Seq(path), schema = Some(other))(_.where("s is not null").select("id")).rows
      assert(rows.map(_.getInt(0)).toSet == Set(1, 3))
      withConf("spark.sql.legacy.parquet.returnNullStructIfAllFieldsMissing" -> "true")(
        assertParity(Seq(path), schema = Some(other))(identity)
      )
    }
  }

  private def shape(name: String, schema: String)(rows: (Group => Unit)*): Unit =
    test(s"lists of old writers: $name") {
      val path = example(s"list-$name")(file => ParquetFiles.write(file, schema)(rows: _*))
      eachReader { _ =>
        assertParity(Seq(path))(identity)
        assertParity(Seq(path))(_.selectExpr("size(f)", "get(f, 0)"))
      }
    }

  shape("two-levels-int", "message m { optional group f (LIST) { repeated int32 element; } optional int32 i; }")(
    group => { group.addGroup("f").append("element", 1).append("element", 2); () },
    _.append("i", 1)
  )

  shape(
    "two-levels-struct",
    "message m { optional group f (LIST) { repeated group array { required int32 a; optional binary b (STRING); } } }"
  )(
    group => { group.addGroup("f").addGroup("array").append("a", 1).append("b", "x"); () },
    _ => ()
  )

  shape("two-levels-tuple", "message m { optional group f (LIST) { repeated group f_tuple { required int32 a; } } }")(
    group => { group.addGroup("f").addGroup("f_tuple").append("a", 1); () },
    _ => ()
  )

  shape(
    "unusual-names",
    "message m { optional group f (LIST) { repeated group bag { optional int32 array_element; } } }"
  )(
    group => {
      val list = group.addGroup("f")
      list.addGroup("bag").append("array_element", 7)
      list.addGroup("bag")
      ()
    },
    _ => ()
  )

  shape("bare-int", "message m { repeated int32 f; optional int32 i; }")(
    _.append("f", 1).append("f", 2),
    _.append("i", 1)
  )

  shape("bare-struct", "message m { repeated group f { optional int32 a; optional binary b (STRING); } optional int32 i; }")(
    group => { group.addGroup("f").append("a", 1); group.addGroup("f").append("b", "x"); () },
    _.append("i", 1)
  )

  test("a map of an old writer") {
    val path = example("map-old") { file =>
      ParquetFiles.write(
        file,
        "message m { optional group f (MAP_KEY_VALUE) { repeated group map { required binary key (STRING); optional int32 value; } } }"
      )(
        group => { group.addGroup("f").addGroup("map").append("key", "k").append("value", 1); () },
        _ => ()
      )
    }
    eachReader(_ => assertParity(Seq(path))(identity))
  }

  test("deep nesting, null at every level") {
    val path = written(
      "deep",
      spark
        .range(200)
        .selectExpr(
          "array(if(id % 2 = 0, null, named_struct('a', array(if(id % 3 = 0, null, map('k', array(id, null))))))) as d"
        )
    )(identity)
    eachReader { _ =>
      assertParity(Seq(path))(identity)
      assertParity(Seq(path))(_.selectExpr("d[0].a[0]['k'][0]"))
    }
  }

  Seq("false", "true").foreach { shredded =>
    test(s"variants, shredded $shredded") {
      // Spark 4.0 writes no shredded variants by inference; the setting does nothing there.
      val path = withConf("spark.sql.variant.inferShreddingSchema" -> shredded, "spark.sql.variant.writeShredding.enabled" -> shredded)(
        written(
          s"variant-$shredded",
          spark
            .range(0, 200, 1, 1)
            .selectExpr("id", "parse_json(concat('{\"a\": ', id, ', \"b\": [\"x\", ', id % 3, '], \"c\": null}')) as v")
        )(identity)
      )
      eachReader { _ =>
        assertSameAnswer(Seq(path))(identity)
        assertSameAnswer(Seq(path))(_.selectExpr("id", "variant_get(v, '$.a', 'int')", "variant_get(v, '$.b[1]', 'int')"))
        assertSameAnswer(Seq(path))(_.where("variant_get(v, '$.a', 'int') > 190").select("id"))
      }
    }
  }
}

class FileNestedParitySuite extends NestedParitySuite(FileStore)
class S3aNestedParitySuite extends NestedParitySuite(S3aStore.main)
