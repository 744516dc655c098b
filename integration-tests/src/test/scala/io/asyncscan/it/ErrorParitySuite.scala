// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Files that are missing, broken or not what they were. */
abstract class ErrorParitySuite(store: Store) extends ParitySuite(store) {

  private val ids = Some(StructType.fromDDL("id bigint, r double"))

  /** Four files of three row groups or so. */
  private def data: String = written("errors", spark.range(0, 4000, 1, 4).selectExpr("id", "rand(7) as r"))(
    _.option("parquet.enable.dictionary", "false").option("parquet.block.size", "8192").option("parquet.page.size", "1024")
  )

  /** The same trouble for each reader on files of its own: what one did must not help the other. */
  private def trouble(plan: DataFrame => Unit)(spoil: String => Unit): Parity.Problem = {
    def one(format: String): Parity.Problem = {
      val path = data
      val frame = load(format, Seq(path), schema = ids)
      plan(frame)
      spoil(path)
      problem(frame)
    }
    val expected = one(SparkHarness.reference)
    val actual = one(SparkHarness.format)
    assert(actual.condition == expected.condition, s"\n${actual.trace}\nwhere Spark says\n${expected.trace}")
    assertSameCause(expected, actual)
    actual
  }

  /** The files are listed, and nothing of them is read. */
  private def list(frame: DataFrame): Unit = { assert(frame.queryExecution.executedPlan != null); () }

  test("a path that is not there") {
    val problem = assertSameError(Seq(store.fresh("not-there")), schema = ids, parameters = Set("path"))(identity)
    assert(problem.condition.contains("PATH_NOT_FOUND"))
    assertSameError(Seq(data, store.fresh("not-there")), schema = ids)(identity)
    assertSameError(Seq(s"$data/nothing-*.parquet"), schema = ids)(identity)
  }

  Seq[(String, DataFrame => Unit)]("listing" -> list, "planning" -> planScans).foreach { case (stage, plan) =>
    test(s"a file deleted after $stage") {
      val problem = trouble(plan)(path => store.delete(store.files(path)(1)))
      assert(problem.condition.contains("FAILED_READ_FILE.FILE_NOT_EXIST"))
      assert(problem.messages.contains(".parquet"))
    }
  }

  private def survivors(plan: DataFrame => Unit, options: Map[String, String], confs: Map[String, String] = Map.empty)(
      spoil: String => Unit
  ): Unit = {
    def one(format: String): Seq[Long] = {
      val path = data
      val frame = load(format, Seq(path), options, ids).select("id")
      plan(frame)
      spoil(path)
      frame.collect().map(_.getLong(0)).toSeq.sorted
    }
    withConf(confs.toSeq: _*) {
      val want = one(SparkHarness.reference)
      assert(want.nonEmpty && want.size < 4000)
      assert(one(SparkHarness.format) == want)
    }
    ()
  }

  test("ignoreMissingFiles") {
    Seq[DataFrame => Unit](list, planScans).foreach { plan =>
      survivors(plan, Map("ignoreMissingFiles" -> "true"))(path => store.delete(store.files(path)(1)))
      survivors(plan, Map.empty, Map("spark.sql.files.ignoreMissingFiles" -> "true"))(path => store.delete(store.files(path)(2)))
    }
    assertSameError(Seq(data, store.fresh("gone")), Map("ignoreMissingFiles" -> "true"), ids)(identity)
  }

  private def replace(path: String, index: Int)(change: Array[Byte] => Array[Byte]): Unit = {
    val file = store.files(path)(index)
    store.write(file, change(store.read(file)))
  }

  private val garbage: Array[Byte] = Array.tabulate(5000)(i => (i * 31).toByte)

  /** Spoilt before planning, so that versions do not matter. */
  private def broken(change: Array[Byte] => Array[Byte]): String = {
    val path = data
    replace(path, 1)(change)
    path
  }

  private val breakages: Seq[(String, Array[Byte] => Array[Byte])] = Seq(
    ("not Parquet at all", _ => garbage),
    ("shorter than any footer", bytes => bytes.take(7)),
    ("cut in the middle", bytes => bytes.take(bytes.length / 2)),
    ("cut by one byte", bytes => bytes.dropRight(1)),
    (
      "a footer that says it is longer than the file",
      bytes => bytes.dropRight(8) ++ Array[Byte](0xff.toByte, 0xff.toByte, 0xff.toByte, 0x7f) ++ bytes.takeRight(4)
    ),
    (
      "a footer of garbage",
      bytes => {
        val start = ParquetFiles.footerStart(bytes)
        bytes.take(start) ++ garbage.take(bytes.length - start - 8) ++ bytes.takeRight(8)
      }
    ),
    ("page headers of garbage", bytes => bytes.take(4) ++ Array.fill[Byte](2000)(-1) ++ bytes.drop(2004))
  )

  breakages.foreach { case (name, change) =>
    test(s"a broken file: $name") {
      val path = broken(change)
      val problem = assertSameError(Seq(path), schema = ids, cause = false)(identity)
      assert(problem.messages.contains(store.path(store.files(path)(1)).getName), problem.trace)
    }

    test(s"ignoreCorruptFiles: $name") {
      val path = broken(change)
      Seq(Map("ignoreCorruptFiles" -> "true") -> Map.empty[String, String], Map.empty[String, String] -> Map("spark.sql.files.ignoreCorruptFiles" -> "true"))
        .foreach { case (options, confs) =>
          withConf(confs.toSeq: _*) {
            val want = load(SparkHarness.reference, Seq(path), options, ids).collect().length
            assert(want >= 3000 && want < 4000)
            assertParity(Seq(path), options, ids)(_.select("id"))
          }
        }
    }
  }

  test("a file that is not Parquet when the schema is inferred") {
    val path = store.fresh("text")
    store.write(s"$path/a.parquet", garbage)
    assertSameError(Seq(path), cause = false)(identity)
    assertSameError(Seq(path), Map("ignoreCorruptFiles" -> "true"))(identity)
  }

  test("a type that the file does not have") {
    val problem = assertSameError(Seq(data), schema = Some(StructType.fromDDL("id string")))(identity)
    assert(problem.condition.exists(_.startsWith("FAILED_READ_FILE")), problem.trace)
    assert(problem.messages.contains("id") && problem.messages.contains(".parquet"), problem.trace)
  }

  test("an error in what is done with the rows") {
    assertSameError(Seq(data))(_.selectExpr("id / (id - 17)"))
    val failing = udf((i: Long) => if (i == 1234) throw new IllegalStateException("no such row") else i)
    assertSameError(Seq(data))(_.select(failing(col("id"))))
  }

  // Spark's own reader has no notion of versions: it reads what it finds.
  test("a file overwritten between planning and reading") {
    assume(SparkHarness.underTest)
    val longer = written("errors-longer", spark.range(0, 2500, 1, 1).selectExpr("id + 100000 as id", "rand(8) as r"))(identity)
    val replacement = store.read(store.files(longer).head)
    val path = data
    val file = store.files(path)(1)
    assert(replacement.length.toLong != store.length(file))
    val frame = load(SparkHarness.format, Seq(path), schema = ids)
    planScans(frame)
    store.write(file, replacement)
    val changed = problem(frame)
    assert(changed.messages.contains(store.path(file).getName), changed.trace)
    assert(changed.messages.matches("(?is).*(changed|version|etag|modified|length).*"), changed.trace)
    // The next query sees the new file.
    assert(load(SparkHarness.format, Seq(path), schema = ids).where("id >= 100000").count() == 2500)
  }

  test("a file overwritten by one of the same length is not mixed with it") {
    assume(SparkHarness.underTest && store.name == "s3a")
    def fixed(name: String, from: Long) = written(name, spark.range(from, from + 60000, 1, 3).selectExpr("id", "rand(7) as r"))(
      _.option("parquet.enable.dictionary", "false").option("compression", "uncompressed").option("parquet.block.size", "65536")
    )
    val path = fixed("errors-fixed", 0)
    val file = store.files(path)(1)
    val replacement = store.read(store.files(fixed("errors-fixed-other", 1000000)).apply(1))
    assert(replacement.length.toLong == store.length(file))
    val frame = load(SparkHarness.format, Seq(path), schema = ids)
    planScans(frame)
    store.write(file, replacement)
    Try(frame.collect()) match {
      case Failure(error) =>
        val changed = Parity.Problem(error)
        assert(changed.messages.contains(store.path(file).getName), changed.trace)
      case Success(rows) =>
        // What was not looked at before may be read as it is now, but then all of it.
        val now = load(SparkHarness.reference, Seq(path), schema = ids).collect()
        assert(rows.map(Canonical(_)).sorted.toSeq == now.map(Canonical(_)).sorted.toSeq)
    }
  }

  /** Makes the frame plan its partitions, footers included, without running. */
  private def planScans(frame: DataFrame): Unit = {
    val partitions = frame.queryExecution.toRdd.getNumPartitions
    assert(partitions > 0)
    ()
  }

  test("a query that fails leaves the session able to read") {
    val path = broken(breakages(2)._2)
    problem(load(SparkHarness.format, Seq(path), schema = ids))
    assertParity(Seq(data), schema = ids)(identity)
  }
}

class FileErrorParitySuite extends ErrorParitySuite(FileStore)
class S3aErrorParitySuite extends ErrorParitySuite(S3aStore.main)
