// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Nothing to read, or nothing but a count. */
abstract class EmptyParitySuite(store: Store) extends ParitySuite(store) {

  private val ints = StructType.fromDDL("id int")

  private def tiny(file: Path, from: Int, rows: Int): Unit =
    ParquetFiles.write(file, "message m { required int32 id; optional binary s (STRING); }", ParquetFiles.small(2, 1))(
      Seq.tabulate(rows)(i => (group: org.apache.parquet.example.data.Group) => {
        group.append("id", from + i).append("s", s"s$i")
        ()
      }): _*
    )

  Seq(0 -> "first", 1 -> "in the middle", 3 -> "last").foreach { case (index, where) =>
    test(s"an empty row group $where") {
      val path = example(s"empty-group-$index") { file =>
        tiny(file, 1, 5)
        ParquetFiles.insertEmptyRowGroup(file, index)
      }
      eachReader { _ =>
        assertSameAnswer(Seq(path))(identity)
        assertSameAnswer(Seq(path))(_.where("id > 2"))
        assertSameAnswer(Seq(path))(_.agg(count(lit(1))))
      }
    }
  }

  test("a file without rows") {
    val path = written("no-rows", spark.range(10).where("id < 0").selectExpr("id", "array(id) as xs"))(identity)
    eachReader { _ =>
      val none = assertParity(Seq(path))(identity)
      assert(none.rows.isEmpty && none.frame.columns.toSeq == Seq("id", "xs"))
      assertParity(Seq(path))(_.agg(count(lit(1))))
      assertParity(Seq(path))(_.where("id = 1"))
    }
  }

  test("files without rows among others") {
    val path = dataset("some-empty") { dir =>
      Files.createDirectories(dir)
      tiny(dir.resolve("a.parquet"), 0, 3)
      tiny(dir.resolve("b.parquet"), 0, 0)
      tiny(dir.resolve("c.parquet"), 3, 4)
    }
    assert(assertParity(Seq(path))(identity).rows.size == 7)
  }

  test("0-byte files and hidden names") {
    val path = dataset("hidden") { dir =>
      Files.createDirectories(dir)
      tiny(dir.resolve("data.parquet"), 0, 3)
      Files.createFile(dir.resolve("empty.parquet"))
      Seq("_SUCCESS", ".dot.parquet", "x.parquet._COPYING_").foreach(name => Files.write(dir.resolve(name), Array[Byte](1, 2, 3)))
      Files.createDirectories(dir.resolve("_temporary"))
      Files.write(dir.resolve("_temporary").resolve("half.parquet"), Array[Byte](1, 2, 3))
    }
    eachReader(_ => assert(assertParity(Seq(path))(identity).rows.size == 3))
    assertParity(Seq(path), schema = Some(ints))(_.agg(sum("id")))
  }

  test("a directory without data") {
    val path = dataset("nothing") { dir =>
      Files.createDirectories(dir)
      Files.write(dir.resolve("_SUCCESS"), Array.emptyByteArray)
    }
    val problem = assertSameError(Seq(path))(identity)
    assert(problem.condition.contains("UNABLE_TO_INFER_SCHEMA"))
    assert(assertParity(Seq(path), schema = Some(ints))(identity).rows.isEmpty)
    assertParity(Seq(path), schema = Some(ints))(_.agg(count(lit(1)), sum("id")))
  }

  test("only 0-byte files") {
    val path = dataset("all-zero") { dir =>
      Files.createDirectories(dir)
      Files.createFile(dir.resolve("a.parquet"))
    }
    assertSameError(Seq(path))(identity)
    assert(assertParity(Seq(path), schema = Some(ints))(identity).rows.isEmpty)
  }

  private def two: String = dataset("count") { dir =>
    Files.createDirectories(dir)
    tiny(dir.resolve("a.parquet"), 0, 2)
    tiny(dir.resolve("b.parquet"), 2, 3)
  }

  test("counts and constants") {
    val path = two
    eachReader { _ =>
      val counted = assertParity(Seq(path))(_.agg(count(lit(1))))
      assert(counted.rows.head.getLong(0) == 5)
      assert(assertParity(Seq(path))(_.select(lit(1))).rows.size == 5)
      assert(assertParity(Seq(path))(_.where("id > 2").agg(count(lit(1)))).rows.head.getLong(0) == 2)
      assertParity(Seq(path))(_.select(lit("x"), lit(null)).distinct())
      assertParity(Seq(path), schema = Some(ints))(_.agg(count(lit(1))))
    }
  }

  test("a count reads no data") {
    val path = written("count-big", spark.range(0, 100000, 1, 1).selectExpr("id", "rand(1) as r"))(
      _.option("parquet.enable.dictionary", "false")
    )
    val counted = assertParity(Seq(path))(_.agg(count(lit(1))))
    assert(counted.rows.head.getLong(0) == 100000)
    // The data has 1.2 MB; a footer has a few hundred bytes, and its first request may take some more along.
    whenUnderTest(assert(counted.metric("bytesFetched") <= 128 * 1024))
    val constant = assertParity(Seq(path))(_.select(lit(1)).limit(10))
    whenUnderTest(assert(constant.metric("bytesFetched") <= 128 * 1024))
  }

  test("aggregates that footers could answer") {
    val path = two
    Seq("true", "false").foreach { pushed =>
      withConf("spark.sql.parquet.aggregatePushdown" -> pushed) {
        assertParity(Seq(path))(_.agg(count(lit(1)), min("id"), max("id"), count("s")))
        assertParity(Seq(path))(_.agg(min("s"), max("s")))
        assertParity(Seq(path))(_.where("id > 1").agg(min("id")))
      }
    }
  }
}

class FileEmptyParitySuite extends EmptyParitySuite(FileStore)
class S3aEmptyParitySuite extends EmptyParitySuite(S3aStore.main)
