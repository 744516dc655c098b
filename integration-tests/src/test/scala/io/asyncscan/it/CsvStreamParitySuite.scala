// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import org.apache.spark.sql.functions._

/** CSV files that are read as one stream, and how often their bytes are asked for. */
abstract class CsvStreamParitySuite(store: Store) extends CsvSuite(store) {
  private val schema = ddl("id int, t string, x double")
  private val small = Map("partSize" -> "4096")

  /** Lines that do not pack well. */
  private def lines(count: Int, seed: Int = 1): Array[Byte] = {
    val random = new Random(seed)
    (0 until count).map(i => s"$i,${random.alphanumeric.take(40).mkString},${random.nextDouble()}\n").mkString.getBytes(UTF_8)
  }

  Seq("gz", "bz2", "deflate", "lz4", "snappy", "zst").foreach { ending =>
    test(s"compressed files: $ending") {
      assume(ending != "zst" || SparkHarness.sparkAtLeast(4, 1), "Hadoop's own codec needs a native library")
      val codec = Map("gz" -> "gzip", "bz2" -> "bzip2").getOrElse(ending, ending)
      val path = files(s"csv-$ending")((0 until 3).map(i => s"part-$i.csv.$ending" -> packed(codec, lines(1500 + i, i))): _*)
      val all = assertParity(Seq(path), schema = schema, tuning = small)(identity)
      assert(all.rows.size == 4503)
      assertParity(Seq(path), Map("multiLine" -> "true"), schema, small)(_.agg(count(lit(1)), sum("id"), max("t")))
      assertParity(Seq(path), Map("inferSchema" -> "true"))(_.agg(max("_c0")))
      // Whichever codec: every byte once.
      whenUnderTest(assert(all.metric("bytesFetched") - all.metric("bytesOverRead") == store.files(path).map(store.length).sum))
    }
  }

  test("bzip2 in parts") {
    val path = files("csv-bz2-parts")("a.csv.bz2" -> packed("bzip2", lines(40000)))
    val length = store.length(store.files(path).head)
    Seq(length / 3, length / 7).foreach { size =>
      cutBy(size)(assert(assertParity(Seq(path), schema = schema, tuning = small)(identity).rows.size == 40000))
    }
  }

  test("records that span lines") {
    val body = (0 until 400).map(i => s"""$i,"a${"\n" * (i % 5)}b""${"é" * i}",$i.5""").mkString("", "\r\n", "\r\n")
    val path = files("csv-multi")((0 until 3).map(i => s"$i.csv" -> body.getBytes(UTF_8)): _*)
    Seq("1", "4096").foreach { part =>
      val tuning = if (part == "1") Map.empty[String, String] else small
      assert(assertParity(Seq(path), Map("multiLine" -> "true"), schema, tuning)(identity).rows.size == 1200)
    }
    assertParity(Seq(path), Map("multiLine" -> "true", "inferSchema" -> "true"))(identity)
    cutBy(100)(assert(assertParity(Seq(path), Map("multiLine" -> "true"), schema)(identity).rows.size == 1200))
  }

  test("every byte is asked for once, but for tails") {
    assume(SparkHarness.underTest)
    val path = files("csv-once")("a.csv" -> lines(60000))
    val length = store.length(store.files(path).head)
    cutBy(length / 4 + 1) {
      val done = assertParity(Seq(path), schema = schema, tuning = Map("partSize" -> "262144"))(_.agg(count(lit(1)), sum("id")))
      assert(done.metric("bytesFetched") == length + done.metric("bytesOverRead"))
      val cuts = done.frame.queryExecution.toRdd.dependencies.size
      assert(cuts >= 1 && done.metric("bytesOverRead") % 65536 == 0 && done.metric("bytesOverRead") <= 8L * 65536)
    }
  }

  test("depth and pressure do not change rows") {
    val path = files("csv-depth")("a.csv" -> lines(8000), "b.csv" -> lines(100))
    Seq("0", "1", "3").foreach(depth => assertParity(Seq(path), schema = schema, tuning = small + ("readAheadDepth" -> depth))(identity))
    assertParity(Seq(path), schema = schema, tuning = small + ("readAheadMaxBytes" -> "0"))(_.orderBy("t"))
  }

  test("whatever the cut, the line ending and the quotes") {
    val random = new Random(20260101)
    val endings = Seq("\n", "\r\n", "\r")
    (0 until 12).foreach { round =>
      val ending = endings(random.nextInt(3))
      val body = (0 until 1 + random.nextInt(60)).map { i =>
        val value = random.nextInt(5) match {
          case 0 => "\"" + "q,\"\"" * random.nextInt(4) + "\""
          case 1 => "日" * random.nextInt(30)
          case 2 => ""
          case 3 => "\"a\n\r\n" + "b" * random.nextInt(9) + "\""
          case _ => random.alphanumeric.take(random.nextInt(200)).mkString
        }
        s"$i,$value,${random.nextInt(9)}"
      }.mkString(ending) + (if (random.nextBoolean()) ending else "")
      val path = text(s"csv-random-$round", body)
      cutBy(1L + random.nextInt(120)) {
        withClue(s"round $round: ") {
          assertParity(Seq(path), schema = ddl("a string, b string, c string"))(identity)
          assertParity(Seq(path), Map("multiLine" -> "true"), ddl("a string, b string, c string"))(identity)
        }
      }
    }
  }
}

class FileCsvStreamParitySuite extends CsvStreamParitySuite(FileStore)
class S3aCsvStreamParitySuite extends CsvStreamParitySuite(S3aStore.main)
