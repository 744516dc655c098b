// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.functions._

/** CSV: lines, quotes, modes. */
abstract class CsvParitySuite(store: Store) extends CsvSuite(store) {
  private val header = Map("header" -> "true")
  private val modes = Seq("PERMISSIVE", "DROPMALFORMED", "FAILFAST")

  test("a quoted line break") {
    val path = text("csv-break", "id,t,n\n1,\"x\ny\",7\n2,z,8\n")
    val schema = ddl("id int, t string, n int")
    modes.foreach { mode =>
      val options = header + ("mode" -> mode)
      if (mode == "FAILFAST") assertSameError(Seq(path), options, schema)(identity)
      else assertParity(Seq(path), options, schema)(identity)
      assert(assertParity(Seq(path), options + ("multiLine" -> "true"), schema)(identity).rows.size == 2)
    }
    assert(assertParity(Seq(path), header, schema)(_.agg(count(lit(1)))).rows.head.getLong(0) == 3)
    assert(assertParity(Seq(path), header, schema)(identity).rows.size == 3)
  }

  private val endings = Seq("lf" -> "\n", "crlf" -> "\r\n", "cr" -> "\r")

  endings.foreach { case (label, ending) =>
    test(s"every line once, whatever the split: $label") {
      Seq(true, false).foreach { terminated =>
        val lines = (0 until 50).map(i => s"$i,${"é" * (i % 7)}x$i")
        val path = text(s"csv-lines-$label-$terminated", lines.mkString(ending) + (if (terminated) ending else ""))
        Seq(5, 7, 12, 23, 40).foreach { size =>
          cutBy(size)(assert(assertParity(Seq(path), schema = ddl("a int, b string"))(identity).rows.size == 50))
        }
      }
    }

    test(s"a line separator that is given: $label") {
      val path = text(s"csv-lines-$label-true", (0 until 50).map(i => s"$i,${"é" * (i % 7)}x$i").mkString("", ending, ending))
      Seq("\n", "\r", "\r\n").foreach { separator =>
        cutBy(31)(assertParity(Seq(path), Map("lineSep" -> separator))(identity))
        assertParity(Seq(path), Map("lineSep" -> separator, "header" -> "true"))(identity)
      }
    }
  }

  test("carriage returns within quotes, at every place") {
    val body = "1,\"a\rb\"\r\n2,\"b\r\nc\"\r\n3,d\r\n"
    (0 until body.length).foreach { shift =>
      val path = text(s"csv-cr-$shift", "x" * shift + "," + "\r\n" + body)
      val schema = ddl("a string, b string")
      cutBy(16)(assertParity(Seq(path), schema = schema)(identity))
      if (shift % 5 == 0) {
        assertParity(Seq(path), Map("lineSep" -> "\n"), schema)(identity)
        assertParity(Seq(path), Map("multiLine" -> "true"), schema)(identity)
      }
    }
  }

  test("ragged and bad rows in every mode") {
    val ragged = text("csv-ragged", "a,b\n1,2\n3\n4,5,6\n7,8,\n")
    val typed = text("csv-typed", "a,b\n1,x\n2,3\nq,4\n")
    modes.foreach { mode =>
      val options = header + ("mode" -> mode)
      Seq(ragged -> "a int, b int", typed -> "a int, b int").foreach { case (path, columns) =>
        assertSameAnswer(Seq(path), options, ddl(columns))(identity)
        assertSameAnswer(Seq(path), options, ddl(columns))(_.select("a"))
        assertSameAnswer(Seq(path), options, ddl(columns))(_.agg(count(lit(1))))
        assertSameAnswer(Seq(path), options, ddl(columns))(_.where("a > 1"))
        assertSameAnswer(Seq(path), options, ddl(columns))(_.where("b is null"))
        assertSameAnswer(Seq(path), options, ddl(columns + ", _corrupt_record string"))(identity)
      }
    }
    assert(assertParity(Seq(ragged), header + ("mode" -> "DROPMALFORMED"), ddl("a int, b int"))(_.agg(count(lit(1)))).rows.head.getLong(0) == 4)
    val named = header + ("columnNameOfCorruptRecord" -> "bad")
    assertParity(Seq(ragged), named, ddl("a int, bad string, b int"))(identity)
    assertParity(Seq(ragged), named, ddl("a int, b int, bad string"))(_.where("bad is not null"))
    assertSameError(Seq(ragged), named, ddl("a int, b int, bad string"))(_.select("bad"))
    assertSameError(Seq(ragged), named, ddl("a int, b int, bad int"))(identity)
  }

  test("filters, projections and counts") {
    val path = text("csv-filters", (0 until 500).map(i => s"$i,n${i % 10},${i / 4.0},2020-01-${"%02d".format(i % 28 + 1)}").mkString("\n"))
    val schema = ddl("id int, name string, x double, d date")
    Seq("true", "false").foreach { pushed =>
      withConf("spark.sql.csv.filterPushdown.enabled" -> pushed) {
        assertParity(Seq(path), schema = schema)(_.where("id > 490 and name in ('n1', 'n5')"))
        assertParity(Seq(path), schema = schema)(_.where("d = date'2020-01-05'").select("x"))
        assertParity(Seq(path), schema = schema)(_.where("name like 'n%' and x is not null").agg(sum("id"), max("d")))
      }
    }
    assertParity(Seq(path), schema = schema)(_.select("d", "id", "d"))
    assertParity(Seq(path), schema = schema)(_.select(lit(1)))
    assert(assertParity(Seq(path), schema = schema)(_.agg(count(lit(1)))).rows.head.getLong(0) == 500)
    assert(assertParity(Seq(path), schema = schema, ordered = true)(_.limit(7)).rows.size == 7)
    withConf("spark.sql.csv.parser.columnPruning.enabled" -> "false")(assertParity(Seq(path), schema = schema)(_.select("name")))
  }

  private val types =
    "b boolean, y byte, s short, i int, l long, f float, d double, c decimal(20,4), t string, dt date, ts timestamp, n timestamp_ntz, bin binary, ym interval year to month, ds interval day to second"

  test("every type") {
    val path = text(
      "csv-types",
      "true,1,2,3,4,1.5,NaN,12345.6789,x,2020-02-29,2020-02-29T12:34:56.789Z,2020-02-29T12:34:56,abc,INTERVAL '1-2' YEAR TO MONTH,INTERVAL '1 02:03:04' DAY TO SECOND\n" +
        ",,,,,,,,,,,,,,\n" + "false,-1,x,3e2,9999999999999999999,Inf,-Inf,1e3,\"q,q\",01/02/2020,nope,2020,,,\n"
    )
    assertParity(Seq(path), schema = ddl(types))(identity)
    ddl(types).get.fieldNames.foreach(name => assertParity(Seq(path), schema = ddl(types))(_.select(name)))
  }

  test("a long line behind a cut, and one that has no end") {
    val long = "z" * 300000
    val path = text("csv-long", s"1,a\n2,$long\n3,b\n4,$long")
    Seq(30000L, 70000L, 300000L).foreach { size =>
      cutBy(size)(assert(assertParity(Seq(path), schema = ddl("i int, t string"))(_.selectExpr("i", "length(t)")).rows.size == 4))
    }
  }

  test("partitioned directories, metadata and file names") {
    val path = files("csv-partitioned")(
      (0 until 6).map(i => s"p_day=2020-01-0${i % 3 + 1}/p_n=$i/part-$i.csv" -> s"id,t\n$i,a$i\n${i + 10},b\n".getBytes(UTF_8)): _*
    )
    assertParity(Seq(path), header)(identity)
    assertParity(Seq(path), header + ("inferSchema" -> "true"))(_.where("p_day = '2020-01-02' and id > 1"))
    assertParity(Seq(path), header)(_.where("p_n < 4").select("t", "p_n"))
    assertParity(Seq(path), header)(_.select("p_day"))
    assertParity(Seq(path), header)(_.selectExpr("id", "input_file_name()"))
    assertParity(Seq(path), header)(_.selectExpr("id", "_metadata.file_name", "_metadata.file_size", "_metadata.file_block_start", "_metadata.file_block_length"))
    assertParity(Seq(path), header)(_.select("_metadata"))
    assertSameError(Seq(path), header)(_.select("_metadata.row_index"))
  }
}

class FileCsvParitySuite extends CsvParitySuite(FileStore)
class S3aCsvParitySuite extends CsvParitySuite(S3aStore.main)
