// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import scala.util.Try

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Formats of lines, and every format once more by Spark's version 2 file sources. */
abstract class ExtensionFormatsSuite(store: Store) extends ParitySuite(store) with ExtensionChecks {

  private def rows: DataFrame = spark.range(0, 3000, 1, 3).selectExpr(
    "id",
    "rand(7) as r",
    "concat('text, \"', id, '\" with é', if(id % 100 = 0, repeat('x', 3000), '')) as t",
    "cast(id % 3 as int) as p_k"
  )

  private def lines(format: String, name: String = "lines", options: Map[String, String] = Map.empty)(frame: => DataFrame): String =
    dataset(s"ext-$format-$name") { dir =>
      frame.write.format(format).options(options).save(dir.toUri.toString)
    }

  private val header = Map("header" -> "true")
  private val schema = "id bigint, r double, t string, p_k int"

  private def csv: String = lines("csv", "header", header)(rows)
  private def json: String = lines("json")(rows)
  private def text: String = lines("text")(rows.select("t"))
  private def parquet: String = written("ext-v2", rows)(_.partitionBy("p_k").option("parquet.block.size", "16384"))

  /** Every query by the version 1 and by the version 2 file sources. */
  private def each(body: => Unit): Unit =
    Seq("avro,csv,json,kafka,orc,parquet,text" -> "version 1", "" -> "version 2").foreach { case (list, label) =>
      withConf("spark.sql.sources.useV1SourceList" -> list)(withClue(s"$label: ")(body))
    }

  test("CSV") {
    val path = csv
    each {
      def read = spark.read.options(header).schema(schema).csv(path)
      assertUnchanged(ordered = true)(read)
      assertUnchanged()(read.where("id % 2 = 1 and p_k = 2").select("t"))
      assertUnchanged()(read.agg(count(lit(1))))
      assertUnchanged()(spark.read.options(header).option("inferSchema", "true").csv(path))
      withConf("spark.sql.files.maxPartitionBytes" -> "20000", "spark.sql.files.openCostInBytes" -> "0")(assertUnchanged(ordered = true)(read))
      assertUnchanged()(spark.read.option("mode", "DROPMALFORMED").schema("id int, r double, t string, p_k int").csv(path))
      assertUnchanged()(spark.read.schema(s"$schema, bad string").option("columnNameOfCorruptRecord", "bad").csv(path))
      assertUnchanged()(spark.read.options(header).option("multiLine", "true").schema(schema).csv(path))
    }
  }

  test("compressed CSV") {
    Seq("gzip", "bzip2").foreach { codec =>
      val path = lines("csv", codec, Map("compression" -> codec))(rows)
      each(assertUnchanged(ordered = true)(spark.read.schema(schema).csv(path)))
    }
  }

  test("JSON") {
    val path = json
    each {
      assertUnchanged(ordered = true)(spark.read.schema(schema).json(path))
      assertUnchanged()(spark.read.json(path).where("id < 50"))
      assertUnchanged()(spark.read.schema("id bigint, t string").option("multiLine", "true").json(path))
    }
  }

  test("text") {
    val path = text
    each {
      assertUnchanged(ordered = true)(spark.read.text(path))
      assertUnchanged(ordered = true)(spark.read.option("wholetext", "true").text(path))
      assertUnchanged()(spark.read.text(path).where(col("value").contains("77")))
    }
  }

  test("a file that is gone, wherever its reader opens it") {
    def read(format: String, options: Map[String, String]): DataFrame = {
      val path = lines(format, "gone")(if (format == "text") rows.select("t") else rows)
      val frame = spark.read.options(options).schema(if (format == "text") "t string" else schema).format(format).load(path)
      frame.queryExecution.executedPlan
      store.delete(store.files(path)(1))
      frame
    }
    each {
      Seq("csv" -> "header", "csv" -> "multiLine", "json" -> "lineSep", "json" -> "multiLine", "text" -> "lineSep", "text" -> "wholetext").foreach {
        case (format, option) =>
          withClue(s"$format, $option: ") {
            val options = Map(option -> (if (option == "lineSep") "\n" else "true"))
            val expected = problem(read(format, options))
            val actual = withExtension(problem(read(format, options)))
            assert(expected.condition.contains("FAILED_READ_FILE.FILE_NOT_EXIST"), expected.trace)
            assert(actual.condition == expected.condition, s"\n${actual.trace}\nwhere Spark says\n${expected.trace}")
            withConf("spark.sql.files.ignoreMissingFiles" -> "true") {
              // Spark's own version 2 source does not skip what it opens late.
              Try(read(format, options).count()).foreach { want =>
                assert(want > 0 && withExtension(read(format, options).count()) == want)
              }
            }
          }
      }
    }
  }

  test("no broadcast that Spark's own scans do not make") {
    val paths = Map("csv" -> csv, "json" -> json, "text" -> text, "parquet" -> parquet)
    each {
      paths.foreach { case (format, path) =>
        def broadcasts(as: String): Long = {
          val frame = spark.read.options(header).schema(if (format == "text") "value string" else schema).format(as).load(path)
          val before = spark.sparkContext.broadcast(0).id
          assert(frame.collect().length == 3000)
          spark.sparkContext.broadcast(0).id - before - 1
        }
        // Storage memory holds them, which operators then do not have.
        val own = broadcasts(format)
        assert(own > 0)
        // A version 2 node has made Spark's own readers before it gets ours.
        val more = if (spark.conf.get("spark.sql.sources.useV1SourceList").isEmpty) 1 else 0
        assert(withExtension(broadcasts(format)) == own + more, format)
        assert(broadcasts("asyncscan") <= own, s"$format by format(\"asyncscan\")")
      }
    }
  }

  test("Parquet by the version 2 source") {
    val path = parquet
    withConf("spark.sql.sources.useV1SourceList" -> "") {
      eachReader { _ =>
        val done = assertUnchanged(ordered = true)(spark.read.parquet(path))
        assert(Scans.ofAsyncscan(done.frame).size == 1 && Scans.ofExtension(done.frame).isEmpty)
        assertUnchanged()(spark.read.parquet(path).where("id > 1000 and p_k = 1").select("t", "p_k"))
        assertUnchanged(fetches = false)(spark.read.parquet(path).select("p_k").distinct())
      }
      Seq("true", "false").foreach { adaptive =>
        withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.autoBroadcastJoinThreshold" -> "-1") {
          def grouped = spark.read.parquet(path).groupBy("p_k").agg(count(lit(1)).as("c"))
          assertUnchanged()(grouped.join(grouped.withColumnRenamed("c", "d"), "p_k"))
        }
      }
    }
  }

  test("what the version 2 source answers from footers is left to it") {
    val path = parquet
    withConf("spark.sql.sources.useV1SourceList" -> "", "spark.sql.parquet.aggregatePushdown" -> "true") {
      def query = spark.read.parquet(path).agg(count(lit(1)), max("id"))
      val expected = run(query)
      withExtension {
        val actual = run(query)
        assert(actual.canonical(ordered = true) == expected.canonical(ordered = true))
        assert(Scans.ofAsyncscan(actual.frame).isEmpty)
      }
    }
  }

  test("errors and files that may be skipped, by the version 2 source") {
    withConf("spark.sql.sources.useV1SourceList" -> "") {
      def broken = {
        val path = parquet
        store.write(store.files(path).head, "not Parquet at all".getBytes)
        path
      }
      def read(path: String) = spark.read.schema("id bigint, t string").parquet(path)
      val expected = problem(read(broken))
      val actual = withExtension(problem(read(broken)))
      assert(actual.condition == expected.condition, s"\n${actual.trace}\nwhere Spark says\n${expected.trace}")
      withConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
        val want = read(broken).count()
        assert(want < 3000 && withExtension(read(broken).count()) == want)
      }
    }
  }

  test("other schemes and the switch hold for version 2, too") {
    val path = parquet
    withConf("spark.sql.sources.useV1SourceList" -> "") {
      assert(Scans.ofAsyncscan(run(spark.read.parquet(path)).frame).isEmpty)
      withConf("spark.asyncscan.enabled" -> "true", "spark.asyncscan.extensionSchemes" -> "gs") {
        assert(Scans.ofAsyncscan(run(spark.read.parquet(path)).frame).isEmpty)
      }
    }
  }
}

class FileExtensionFormatsSuite extends ExtensionFormatsSuite(FileStore)
class S3aExtensionFormatsSuite extends ExtensionFormatsSuite(S3aStore.main)
