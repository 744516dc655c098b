// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.Files

import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Two hundred small files: few requests each, and no look-ups. */
abstract class ManyFilesSuite(store: Store) extends ParitySuite(store) {
  private val files = 200
  private val schema = Some(StructType.fromDDL("id int, s string"))

  private def data: String = dataset("many-files") { dir =>
    Files.createDirectories(dir)
    (0 until files).foreach { n =>
      ParquetFiles.write(dir.resolve(f"f$n%03d.parquet"), "message m { required int32 id; required binary s (STRING); }", ParquetFiles.small(3, 3))(
        Seq.tabulate(6)(i => (group: org.apache.parquet.example.data.Group) => {
          group.append("id", n * 10 + i).append("s", s"s$i")
          ()
        }): _*
      )
    }
  }

  private def bounded(done: => Parity.Done): Parity.Done = {
    val (result, log) = S3Server.recording(done)
    whenUnderTest {
      assert(result.metric("requests") <= 2L * files)
      if (store.name == "s3a") {
        val gets = log.filter(request => request.verb == "GET" && request.key.contains("many-files"))
        val most = gets.groupBy(_.key).map { case (key, all) => key -> all.size }.maxBy(_._2)
        assert(gets.map(_.key).distinct.size == files)
        assert(most._2 <= 2, s"${most._1} asked for ${most._2} times")
        val heads = log.filter(request => request.verb == "HEAD" && request.key.endsWith(".parquet"))
        assert(heads.isEmpty, s"${heads.take(3)}")
      }
    }
    result
  }

  private def own(path: String, tuning: Map[String, String])(transform: org.apache.spark.sql.DataFrame => org.apache.spark.sql.DataFrame) =
    bounded(run(transform(load(SparkHarness.format, Seq(path), tuned(tuning), schema))))

  Seq("2000" -> "on the driver", "0" -> "on the executors").foreach { case (most, where) =>
    test(s"every file once, footers read $where") {
      val path = data
      val tuning = Map("footerPlanningMaxFiles" -> most)
      val want = run(load(SparkHarness.reference, Seq(path), schema = schema))
      assert(want.rows.size == files * 6)
      assertSame(want, own(path, tuning)(identity), ordered = false)
    }

    test(s"a filter, footers read $where") {
      val path = data
      val tuning = Map("footerPlanningMaxFiles" -> most)
      val want = run(load(SparkHarness.reference, Seq(path), schema = schema).where("id % 10 = 5").select("s"))
      assert(want.rows.size == files)
      assertSame(want, own(path, tuning)(_.where("id % 10 = 5").select("s")), ordered = false)
    }

    test(s"a count, footers read $where") {
      val done = own(data, Map("footerPlanningMaxFiles" -> most))(_.agg(count(lit(1))))
      assert(done.rows.head.getLong(0) == files * 6)
    }
  }

  test("many files in few tasks") {
    val path = data
    val stock = load(SparkHarness.reference, Seq(path), schema = schema).rdd.getNumPartitions
    val ours = load(SparkHarness.format, Seq(path), schema = schema).rdd.getNumPartitions
    assert(ours <= stock)
  }

  test("one file of many by its name") {
    assertParity(Seq(data))(_.where(col("_metadata.file_name") === "f123.parquet").select("id"))
  }
}

class FileManyFilesSuite extends ManyFilesSuite(FileStore)
class S3aManyFilesSuite extends ManyFilesSuite(S3aStore.main)
