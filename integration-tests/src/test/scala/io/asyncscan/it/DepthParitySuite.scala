// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** How far ahead, in what pieces and where footers are read changes nothing but speed. */
abstract class DepthParitySuite(store: Store) extends ParitySuite(store) {

  private def data: String = written("depth", spark.range(0, 30000, 1, 3).selectExpr("id", "rand(3) as r", "concat('t', id) as t", "sequence(0, id % 3) as xs"))(
    _.option("parquet.enable.dictionary", "false")
      .option("parquet.block.size", "65536")
      .option("parquet.page.size", "8192")
  )

  /** One file of about 25 row groups. */
  private def single: String = written("depth-single", spark.range(0, 20000, 1, 1).selectExpr("id", "rand(3) as r", "concat('t', id) as t"))(
    _.option("parquet.enable.dictionary", "false")
      .option("parquet.block.size", "32768")
      .option("parquet.page.size", "8192")
  )

  private lazy val many = data
  private lazy val one = single

  /** Queries of several partitions, and of one where the order of rows counts. */
  private val queries: Seq[(String, Boolean, DataFrame => DataFrame)] = Seq(
    ("all", false, identity),
    ("some", false, _.where("id % 1000 < 3 and id > 12345").select("t", "xs")),
    ("groups", false, _.groupBy(expr("id % 7")).agg(count(lit(1)), max("t"), min("r"))),
    ("count", false, _.agg(count(lit(1)))),
    ("all in order", true, identity),
    ("some in order", true, _.where("r > 0.5").select("id"))
  )

  /** What Spark's own reader finds, once for all ways of reading. */
  private lazy val stock: Map[String, Parity.Done] = queries.map { case (name, ordered, query) =>
    val done = run(query(load(SparkHarness.reference, Seq(if (ordered) one else many))))
    assert(done.rows.nonEmpty)
    name -> done
  }.toMap

  private val tunings: Seq[Map[String, String]] = Seq(
    Map("readAheadDepth" -> "-1"),
    Map("readAheadDepth" -> "0"),
    Map("readAheadDepth" -> "1"),
    Map("readAheadDepth" -> "3"),
    Map("partSize" -> "64k"),
    Map("readAheadDepth" -> "3", "partSize" -> "64k", "maxCoalesceGap" -> "0"),
    Map("maxCoalesceGap" -> "1m", "maxOverRead" -> "0.9"),
    Map("maxOverRead" -> "0"),
    Map("maxPartitionBytes" -> "100k"),
    Map("readAheadMaxBytes" -> "1"),
    Map("readAheadMaxBytes" -> "1", "readAheadDepth" -> "3"),
    Map("footerPlanningMaxFiles" -> "0"),
    Map("footerPlanningMaxFiles" -> "1"),
    Map("footerPlanningMaxFiles" -> "0", "readAheadDepth" -> "0", "maxPartitionBytes" -> "100k")
  )

  tunings.foreach { tuning =>
    test(tuning.map { case (key, value) => s"$key $value" }.mkString(", ")) {
      queries.foreach { case (name, ordered, query) =>
        withClue(s"$name: ") {
          val path = if (ordered) one else many
          // One partition: the order of its rows is that of the file.
          val pieces = if (ordered) tuning - "maxPartitionBytes" else tuning
          val actual = run(query(load(SparkHarness.format, Seq(path), tuned(pieces))))
          assertSame(stock(name), actual, ordered)
        }
      }
    }
  }

  test("depths are reached and kept") {
    assume(SparkHarness.underTest)
    val path = single
    def reached(depth: Int): Long =
      run(load(SparkHarness.format, Seq(path), Map("readAheadDepth" -> depth.toString))).metric("depthReached")
    // One task, so that the sum over tasks is what the task reached.
    withConf("spark.sql.files.minPartitionNum" -> "1") {
      assert(reached(0) == 0)
      assert(reached(1) == 1)
      assert((2L to 3L).contains(reached(3)))
      assert(reached(-1) >= 1)
    }
  }

  test("the session's settings hold, and a read option goes first") {
    assume(SparkHarness.underTest)
    val path = single
    withConf("spark.asyncscan.readAheadDepth" -> "0", "spark.sql.files.minPartitionNum" -> "1") {
      assert(run(load(SparkHarness.format, Seq(path))).metric("depthReached") == 0)
      assert(run(load(SparkHarness.format, Seq(path), Map("readAheadDepth" -> "1"))).metric("depthReached") == 1)
    }
  }

  test("small splits make many partitions, large ones few") {
    val path = single
    def partitions(bytes: String): Int =
      withConf("spark.sql.files.maxPartitionBytes" -> bytes, "spark.sql.files.openCostInBytes" -> "0", "spark.sql.files.minPartitionNum" -> "1")(
        load(SparkHarness.format, Seq(path)).rdd.getNumPartitions
      )
    assert(partitions("128m") == 1)
    assert(partitions("100k") >= 4)
  }

  test("a request is no longer than partSize") {
    assume(SparkHarness.underTest && store.name == "s3a")
    val path = single
    val (_, log) = S3Server.recording(run(load(SparkHarness.format, Seq(path), Map("partSize" -> "64k"))))
    val lengths = log.filter(_.verb == "GET").flatMap(_.ranges).collect { case Range(from, to) => to.toLong - from.toLong + 1 }
    assert(lengths.nonEmpty && lengths.max <= 64 * 1024, s"$lengths")
  }

  private val Range = """(?:bytes=)?(\d+)-(\d+)""".r

  test("little over-read") {
    assume(SparkHarness.underTest)
    val done = run(load(SparkHarness.format, Seq(single)).select("r"))
    assert(done.metric("bytesOverRead") <= done.metric("bytesFetched") * 0.2 + 64 * 1024)
    assert(done.metric("bytesNeverDecoded") == 0)
    assert(done.metric("peakBytes") > 0)
    Seq("retries", "throttles", "jobsDropped").foreach(name => assert(done.metric(name) == 0, name))
  }
}

class FileDepthParitySuite extends DepthParitySuite(FileStore)
class S3aDepthParitySuite extends DepthParitySuite(S3aStore.main)
