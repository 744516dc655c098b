// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Columns of primitive types, and what calendars and other writers do to them. */
abstract class FlatTypesParitySuite(store: Store) extends ParitySuite(store) {

  private def everyType(rows: Long): DataFrame = spark
    .range(0, rows, 1, 3)
    .selectExpr(
      "id",
      "id % 2 = 0 as bool",
      "cast(id % 128 as byte) as b",
      "cast(id as short) as s",
      "cast(id * 7 as int) as i",
      "id * 1000000007 as l",
      "cast(id as float) / 3 as f",
      "case id % 5 when 0 then double('NaN') when 1 then double('-Infinity') when 2 then -0.0D else id / 7.0 end as d",
      "cast(id % 1000 as decimal(5, 2)) as dec_int32",
      "cast(id * 1.01 as decimal(18, 6)) as dec_int64",
      "cast(id * 1000000007 as decimal(38, 10)) as dec_flba",
      "cast(repeat(cast(id as string), cast(id % 7 as int)) as string) as str",
      "cast(concat('x', id) as binary) as bin",
      "date_add(date'2020-01-01', cast(id as int)) as dt",
      "timestamp_micros(id * 1234567890123) as ts",
      "cast(timestamp_ntz'2020-02-29 12:34:56.789012' + make_dt_interval(cast(id as int)) as timestamp_ntz) as ntz",
      "make_dt_interval(cast(id as int), 1, 2, 3.5) as dti",
      "make_ym_interval(cast(id % 100 as int), 3) as ymi"
    )

  private def withNulls(frame: DataFrame): DataFrame =
    frame.select(frame.columns.toSeq.zipWithIndex.map { case (name, i) =>
      if (name == "id") col(name) else when(col("id") % (i + 2) === 0, null).otherwise(col(name)).as(name)
    }: _*)

  private def types: String = written("flat-types", withNulls(everyType(2000)))(identity)

  test("every primitive type with nulls") {
    val path = types
    eachReader(_ => assertParity(Seq(path))(identity))
  }

  test("one column at a time") {
    val path = types
    val columns = load(SparkHarness.reference, Seq(path)).columns
    columns.foreach(name => withClue(s"$name: ")(assertParity(Seq(path))(_.select(name))))
  }

  test("columns in another order, some of them twice") {
    val path = types
    assertParity(Seq(path))(_.selectExpr("str", "l", "id", "l as again", "concat(str, dt)"))
  }

  test("required columns") {
    val path = written("flat-required", spark.range(100).selectExpr("id", "id * 2 as twice"))(identity)
    assertParity(Seq(path))(identity)
  }

  Seq("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS").foreach { physical =>
    Seq("LEGACY", "CORRECTED").foreach { mode =>
      test(s"dates and timestamps of old calendars: $physical written $mode") {
        val path = withConf(
          "spark.sql.parquet.outputTimestampType" -> physical,
          "spark.sql.parquet.datetimeRebaseModeInWrite" -> mode,
          "spark.sql.parquet.int96RebaseModeInWrite" -> mode
        )(written(s"calendar-$physical-$mode", oldDates)(identity))
        Seq("LEGACY", "CORRECTED").foreach { read =>
          val options = Map("datetimeRebaseMode" -> read, "int96RebaseMode" -> read)
          eachReader { _ =>
            assertParity(Seq(path), options)(identity)
            assertParity(Seq(path), options)(_.where("dt < date'1582-10-15' and ts < timestamp'1600-01-01 00:00:00'"))
            assertParity(Seq(path), options)(_.where("ts = timestamp'1500-01-01 00:00:00'"))
          }
        }
      }
    }
  }

  private def oldDates: DataFrame = spark.sql(
    """select * from values
      |  (1, date'1001-01-01', timestamp'1001-01-01 01:02:03.123456'),
      |  (2, date'1582-10-03', timestamp'1582-10-03 23:59:59.999999'),
      |  (3, date'1500-01-01', timestamp'1500-01-01 00:00:00'),
      |  (4, date'1883-11-18', timestamp'1883-11-18 12:00:00'),
      |  (5, date'2020-01-01', timestamp'2020-01-01 00:00:00.123456'),
      |  (6, null, null)
      |as t(id, dt, ts)""".stripMargin
  )

  test("old dates by a writer that says nothing of calendars need a mode") {
    val path = example("calendar-unknown") { file =>
      ParquetFiles.write(file, "message m { optional int32 dt (DATE); optional int64 ts (TIMESTAMP(MICROS,true)); }")(
        _.append("dt", -300000).append("ts", -20000000000000000L)
      )
    }
    withConf("spark.sql.parquet.datetimeRebaseModeInRead" -> "EXCEPTION")(
      assertSameError(Seq(path))(identity)
    )
    Seq("LEGACY", "CORRECTED").foreach(mode => assertParity(Seq(path), Map("datetimeRebaseMode" -> mode))(identity))
  }

  test("timestamps in milliseconds of the year 1000") {
    val path = example("calendar-millis") { file =>
      ParquetFiles.write(file, "message m { optional int64 ts (TIMESTAMP(MILLIS,true)); }")(
        _.append("ts", -30610224000000L),
        _.append("ts", 1577836800123L),
        _ => ()
      )
    }
    Seq("LEGACY", "CORRECTED").foreach { mode =>
      val options = Map("datetimeRebaseMode" -> mode)
      assertParity(Seq(path), options)(identity)
      assertParity(Seq(path), options)(_.where("ts < timestamp'1500-01-01 00:00:00'"))
    }
  }

  test("timestamps without a zone") {
    val path = types
    withConf("spark.sql.parquet.inferTimestampNTZ.enabled" -> "false")(assertParity(Seq(path))(_.select("id", "ntz")))
    assertParity(Seq(path))(_.where("ntz > timestamp_ntz'2021-01-01 00:00:00'").select("id", "ntz"))
  }

  Seq(true, false).foreach { dictionary =>
    test(s"unsigned integers, dictionary $dictionary") {
      val path = example(s"unsigned-$dictionary") { file =>
        ParquetFiles.write(
          file,
          """message m {
            |  required int32 u8 (INTEGER(8,false)); required int32 u16 (INTEGER(16,false));
            |  required int32 u32 (INTEGER(32,false)); required int64 u64 (INTEGER(64,false));
            |}""".stripMargin,
          ParquetFiles.tuned(_.withDictionaryEncoding(dictionary))
        )(
          _.append("u8", 255).append("u16", 65535).append("u32", -1).append("u64", -1L),
          _.append("u8", 0).append("u16", 0).append("u32", 0).append("u64", 0L),
          _.append("u8", 127).append("u16", 32767).append("u32", Int.MaxValue).append("u64", Long.MaxValue)
        )
      }
      eachReader { _ =>
        assertParity(Seq(path))(identity)
        val top = assertParity(Seq(path))(_.where("u32 > 3000000000"))
        assert(top.rows.map(_.getLong(2)) == Seq(4294967295L))
        assert(assertParity(Seq(path))(_.where("u64 > 9223372036854775807")).rows.size == 1)
        assertParity(Seq(path))(_.where("u8 > 200 and u16 > 60000"))
      }
    }
  }

  test("INT96 with a filter") {
    val path = withConf("spark.sql.parquet.outputTimestampType" -> "INT96")(
      written(
        "int96",
        spark.sql("select * from values (timestamp'2020-01-01 00:00:00.123456'), (timestamp'1500-01-01 00:00:00'), (null) as t(ts)")
      )(identity)
    )
    eachReader { _ =>
      assertParity(Seq(path))(identity)
      assert(assertParity(Seq(path))(_.where("ts < timestamp'1600-01-01 00:00:00'")).rows.size == 1)
      assertParity(Seq(path), Map("int96TimestampConversion" -> "true"))(identity)
    }
    withConf("spark.sql.parquet.int96TimestampConversion" -> "true")(assertParity(Seq(path))(identity))
  }

  test("timestamps in nanoseconds") {
    val path = example("nanos") { file =>
      ParquetFiles.write(file, "message m { required int32 id; required int64 ts (TIMESTAMP(NANOS,true)); }")(
        _.append("id", 1).append("ts", 1577836800123456789L)
      )
    }
    assertSameError(Seq(path))(identity)
    withConf("spark.sql.legacy.parquet.nanosAsLong" -> "true")(assertParity(Seq(path))(identity))
    val ids = load(SparkHarness.reference, Seq(types)).select(col("id").cast("int")).schema
    assertParity(Seq(path), schema = Some(ids))(identity)
  }

  Seq("MILLIS" -> "int32", "MICROS" -> "int64", "NANOS" -> "int64").foreach { case (unit, physical) =>
    test(s"TIME($unit)") {
      val path = example(s"time-$unit") { file =>
        ParquetFiles.write(file, s"message m { required $physical t (TIME($unit,true)); }")(group =>
          if (physical == "int32") group.append("t", 1) else group.append("t", 1L)
        )
      }
      // Where a version of Spark reads it, so does asyncscan, and with the same rows.
      assertSameAnswer(Seq(path))(identity)
    }
  }

  test("strings and binaries by a writer that does not say which") {
    val path = example("untyped-binary") { file =>
      ParquetFiles.write(file, "message m { required binary b; required fixed_len_byte_array(3) f; }")(group =>
        group.append("b", "text").append("f", org.apache.parquet.io.api.Binary.fromString("abc"))
      )
    }
    assertParity(Seq(path))(identity)
    withConf("spark.sql.parquet.binaryAsString" -> "true")(assertParity(Seq(path))(identity))
  }

  test("enums, JSON and BSON") {
    val path = example("annotated-binary") { file =>
      ParquetFiles.write(file, "message m { required binary e (ENUM); required binary j (JSON); required binary b (BSON); }")(
        _.append("e", "A").append("j", "{}").append("b", "raw")
      )
    }
    assertParity(Seq(path))(identity)
  }
}

class FileFlatTypesParitySuite extends FlatTypesParitySuite(FileStore)
class S3aFlatTypesParitySuite extends FlatTypesParitySuite(S3aStore.main)
