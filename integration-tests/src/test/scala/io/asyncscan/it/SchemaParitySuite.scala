// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.types._

/** Files whose schema is not the one that is asked for. */
abstract class SchemaParitySuite(store: Store) extends ParitySuite(store) {

  private def schema(ddl: String): Option[StructType] = Some(StructType.fromDDL(ddl))

  private def ids: String = written("schema-ids", spark.range(0, 500, 1, 2).selectExpr("id", "concat('n', id) as name"))(identity)

  test("columns that the files lack") {
    val path = ids
    eachReader { _ =>
      assertParity(Seq(path), schema = schema("id bigint, gone int, also array<string>, name string"))(identity)
      assertParity(Seq(path), schema = schema("gone int, also struct<a: int>"))(identity)
      assertParity(Seq(path), schema = schema("id bigint, gone int"))(_.where("gone is null and id > 480"))
      assertParity(Seq(path), schema = schema("id bigint, gone int"))(_.where("gone = 1"))
    }
  }

  test("defaults of columns that the files lack") {
    val path = ids
    val withDefault = StructType(
      Seq(
        StructField("id", LongType),
        StructField(
          "added",
          IntegerType,
          nullable = true,
          new MetadataBuilder().putString("CURRENT_DEFAULT", "42").putString("EXISTS_DEFAULT", "42").build()
        ),
        StructField(
          "text",
          StringType,
          nullable = true,
          new MetadataBuilder().putString("CURRENT_DEFAULT", "'x'").putString("EXISTS_DEFAULT", "'x'").build()
        )
      )
    )
    eachReader { _ =>
      val done = assertParity(Seq(path), schema = Some(withDefault))(identity)
      assert(done.rows.forall(row => row.getInt(1) == 42 && row.getString(2) == "x"))
      assertParity(Seq(path), schema = Some(withDefault))(_.where("added = 42").select("id"))
      assertParity(Seq(path), schema = Some(withDefault))(_.where("text = 'y'"))
    }
  }

  test("a user's schema: order, subset and case") {
    val path = ids
    assertParity(Seq(path), schema = schema("name string, id bigint"))(identity)
    assertParity(Seq(path), schema = schema("NAME string"))(identity)
    withConf("spark.sql.caseSensitive" -> "true")(assertParity(Seq(path), schema = schema("NAME string, id bigint"))(identity))
    assertParity(Seq(path), schema = schema("id bigint not null"))(identity)
  }

  test("wider types than the files have") {
    val path = written(
      "narrow",
      spark
        .range(0, 300, 1, 1)
        .selectExpr(
          "cast(id % 100 as byte) as b",
          "cast(id as short) as s",
          "cast(id as int) as i",
          "cast(id as int) as i2",
          "cast(id as float) as f",
          "cast(id as decimal(9, 2)) as dec",
          "date_add(date'2020-01-01', cast(id as int)) as dt",
          "cast(id as int) as i3"
        )
    )(_.option("parquet.block.size", "2048"))
    val wide = schema("b int, s bigint, i bigint, i2 double, f double, dec decimal(20, 4), dt timestamp_ntz, i3 decimal(20, 2)")
    eachReader { label =>
      if (label == "vectorized") {
        assertParity(Seq(path), schema = wide)(identity)
        assertParity(Seq(path), schema = wide)(_.where("i > 250 and f < 290"))
      } else assertSameAnswer(Seq(path), schema = wide)(identity)
    }
    // A value beyond the file's type must not skip everything.
    assert(assertParity(Seq(path), schema = schema("i bigint"))(_.where(s"i < ${Long.MaxValue}")).rows.size == 300)
    assert(assertParity(Seq(path), schema = schema("i bigint"))(_.where(s"i > ${Int.MaxValue}L")).rows.isEmpty)
  }

  test("narrower and unrelated types are errors") {
    val path = ids
    assertSameError(Seq(path), schema = schema("id int"))(identity)
    assertSameError(Seq(path), schema = schema("id string"))(identity)
    assertSameError(Seq(path), schema = schema("name date"))(identity)
    assertSameError(Seq(path), schema = schema("id array<int>"))(identity)
  }

  test("names that differ in case alone") {
    val path = example("case") { file =>
      ParquetFiles.write(file, "message m { required int32 A; required int32 b; required int32 B; }")(
        _.append("A", 1).append("b", 2).append("B", 3)
      )
    }
    eachReader { _ =>
      assertSameError(Seq(path))(identity)
      assertSameError(Seq(path), schema = schema("b int"))(identity)
      assert(assertParity(Seq(path), schema = schema("a int"))(identity).rows.head.getInt(0) == 1)
      withConf("spark.sql.caseSensitive" -> "true") {
        assertParity(Seq(path))(identity)
        assert(assertParity(Seq(path))(_.select("B").where("B > 2")).rows.head.getInt(0) == 3)
        assertParity(Seq(path), schema = schema("a int, b int"))(identity)
      }
    }
  }

  private def withId(name: String, id: Int): StructType =
    StructType(
      Seq(StructField(name, IntegerType, nullable = true, new MetadataBuilder().putLong("parquet.field.id", id.toLong).build()))
    )

  test("columns found by field id") {
    val without = example("ids-without") { file =>
      ParquetFiles.write(file, "message m { optional int32 b; optional int32 c; }")(_.append("b", 1).append("c", 2))
    }
    val numbered = example("ids-with") { file =>
      ParquetFiles.write(file, "message m { optional int32 b = 9; optional int32 c = 8; }")(
        _.append("b", 1).append("c", 2),
        _.append("b", 5)
      )
    }
    eachReader { _ =>
      Seq("true", "false").foreach { byId =>
        withConf("spark.sql.parquet.fieldId.read.enabled" -> byId) {
          withClue(s"field ids $byId: ") {
            assertSameAnswer(Seq(without), schema = Some(withId("x", 9)))(identity)
            assertParity(Seq(numbered), schema = Some(withId("x", 9)))(identity)
            assertParity(Seq(numbered), schema = Some(withId("x", 9)))(_.where("x = 5"))
            assertParity(Seq(numbered), schema = Some(withId("c", 9)))(identity)
            assertParity(Seq(numbered), schema = Some(withId("b", 77)))(identity)
          }
        }
      }
      withConf("spark.sql.parquet.fieldId.read.enabled" -> "true", "spark.sql.parquet.fieldId.read.ignoreMissing" -> "true")(
        assertParity(Seq(without), schema = Some(withId("x", 9)))(identity)
      )
    }
    val found = withConf("spark.sql.parquet.fieldId.read.enabled" -> "true")(
      assertParity(Seq(numbered), schema = Some(withId("x", 9)))(identity)
    )
    assert(found.rows.map(_.getInt(0)).toSet == Set(1, 5))
  }

  test("files of different schemas, merged and not") {
    val path = dataset("merge") { dir =>
      java.nio.file.Files.createDirectories(dir)
      ParquetFiles.write(dir.resolve("a.parquet"), "message m { required int32 id; optional binary x (STRING); }")(
        _.append("id", 1).append("x", "one")
      )
      ParquetFiles.write(dir.resolve("b.parquet"), "message m { required int32 id; optional double y; }")(
        _.append("id", 2).append("y", 2.0)
      )
      ParquetFiles.write(
        dir.resolve("c.parquet"),
        "message m { optional double y; required int32 id; optional group s { optional int32 z; } }"
      )(group => { group.append("id", 3); group.addGroup("s").append("z", 3); () })
    }
    eachReader { _ =>
      val merged = assertParity(Seq(path), Map("mergeSchema" -> "true"))(identity)
      assert(merged.frame.columns.toSet == Set("id", "x", "y", "s"))
      assertParity(Seq(path), Map("mergeSchema" -> "false"))(identity)
      assertParity(Seq(path), Map("mergeSchema" -> "true"))(_.where("y = 2.0 or x = 'one'").select("id"))
      assertParity(Seq(path), Map("mergeSchema" -> "true"))(_.select("s.z"))
      withConf("spark.sql.parquet.mergeSchema" -> "true")(assertParity(Seq(path))(identity))
    }
  }

  test("schemas that cannot be merged") {
    val path = dataset("unmergeable") { dir =>
      java.nio.file.Files.createDirectories(dir)
      ParquetFiles.write(dir.resolve("a.parquet"), "message m { required int32 id; }")(_.append("id", 1))
      ParquetFiles.write(dir.resolve("b.parquet"), "message m { required binary id (STRING); }")(_.append("id", "2"))
    }
    assertSameError(Seq(path), Map("mergeSchema" -> "true"))(identity)
  }

  test("a column named twice in the user's schema") {
    assertSameError(Seq(ids), schema = schema("id bigint, id bigint"))(identity)
    assertSameError(Seq(ids), schema = schema("id bigint, ID bigint"))(identity)
  }

  test("names with dots, spaces and back quotes") {
    val path = written("odd-names", spark.range(50).selectExpr("id as `a.b`", "id as `c d`", "id as `e``f`", "id as `é%`"))(identity)
    eachReader { _ =>
      assertParity(Seq(path))(identity)
      assertParity(Seq(path))(_.where("`a.b` > 40").selectExpr("`c d`", "`e``f`"))
    }
  }

  test("char and varchar columns") {
    val path = written("chars", spark.range(50).selectExpr("cast(id as string) as c"))(identity)
    assertSameError(Seq(path), schema = schema("c char(5)"))(identity)
    withConf("spark.sql.legacy.charVarcharAsString" -> "true")(
      assertParity(Seq(path), schema = schema("c varchar(5)"))(_.where("c = '7'"))
    )
  }
}

class FileSchemaParitySuite extends SchemaParitySuite(FileStore)
class S3aSchemaParitySuite extends SchemaParitySuite(S3aStore.main)
