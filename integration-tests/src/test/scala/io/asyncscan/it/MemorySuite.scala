// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkEnv
import org.apache.spark.sql.functions._

/** Row groups, footers and depths that do not fit the budget. */
abstract class MemorySuite(store: Store) extends ParitySuite(store) {

  private def hash(seed: Int): String = (1 to 4).map(i => s"lower(hex(xxhash64(id, ${seed * 10 + i})))").mkString(" || ")

  /** One file of three columns of which nothing compresses, and the bytes of the second one in each of its row groups. */
  private def threeColumns(name: String, rows: Int, rowGroup: Int): (String, Seq[Long]) = {
    val path = written(name, spark.range(0, rows, 1, 1).selectExpr("id", s"${hash(1)} as t", s"${hash(2)} as u"))(
      _.option("parquet.enable.dictionary", "false").option("parquet.block.size", rowGroup.toString).option("compression", "none")
    )
    val groups = ParquetFiles.footer(store.read(store.files(path).head)).getRow_groups.asScala
    (path, groups.map(_.getColumns.get(1).getMeta_data.getTotal_compressed_size).toSeq)
  }

  /** A buffer is at most an eighth longer than what it is for. */
  private def charged(bytes: Long): Long = bytes + bytes / 8

  private def nothingHeld(): Unit = {
    assert(SparkEnv.get.memoryManager.executionMemoryUsed == 0)
    ()
  }

  test("a row group ten times the budget, one of three columns") {
    val (path, groups) = threeColumns("memory-huge-group", 40000, 64 << 20)
    assert(groups.size == 1, "row groups")
    val projected = groups.head
    Seq(projected / 10, 0L).foreach { budget =>
      val done = assertParity(Seq(path), tuning = Map("readAheadMaxBytes" -> budget.toString))(_.select("t"))
      whenUnderTest {
        val peak = done.metric("peakBytes")
        assert(peak >= projected && peak <= charged(projected) + budget, s"of one column chunk of $projected")
        assert(done.metric("bytesGranted") <= budget)
      }
      nothingHeld()
    }
  }

  test("a depth of 32 with a budget for two") {
    val (path, groups) = threeColumns("memory-many-groups", 20000, 256 << 10)
    assert(groups.size >= 8, "row groups")
    val largest = charged(groups.max)
    Seq(2L, 1L, 0L).foreach { jobs =>
      val budget = jobs * largest
      val tuning = Map("readAheadDepth" -> "32", "readAheadMaxBytes" -> budget.toString, "maxPartitionBytes" -> "1g")
      val done = assertParity(Seq(path), tuning = tuning)(_.select("t"))
      whenUnderTest {
        assert(done.metric("peakBytes") <= budget + largest)
        assert(done.metric("denials") > 0)
        if (jobs == 0) assert(done.metric("depthReached") == 0)
        else assert(done.metric("depthReached") >= 1)
      }
      nothingHeld()
    }
  }

  test("granted, dropped and peak add up without pressure") {
    val (path, groups) = threeColumns("memory-many-groups", 20000, 256 << 10)
    val done = assertParity(Seq(path), tuning = Map("maxPartitionBytes" -> "1g"))(_.agg(count("t"), max("t")))
    whenUnderTest {
      // All but the first job, which is claimed before anything is ahead, may be read ahead, each once.
      assert(done.metric("bytesGranted") <= charged(groups.sum))
      assert(done.metric("bytesGranted") > 0)
      assert(done.metric("denials") == 0)
      assert(done.metric("jobsDropped") == 0)
      assert(done.metric("peakBytes") >= groups.max && done.metric("peakBytes") <= charged(groups.sum))
    }
  }

  test("an enormous footer") {
    val columns = 2000
    val schema = (0 until columns).map(i => s"required int32 c$i;").mkString("message wide { ", " ", " }")
    val path = example("memory-wide") { file =>
      ParquetFiles.write(file, schema, ParquetFiles.small(1, 1))(
        (0 until 20).map(row => (group: org.apache.parquet.example.data.Group) => (0 until columns).foreach(i => group.add(i, row * i))): _*
      )
    }
    val bytes = store.read(store.files(path).head)
    val footer = bytes.length - ParquetFiles.footerStart(bytes)
    assert(footer > (2 << 20), "a footer that does not come with the first request")
    // On the driver, where no task's memory is, and in the one task, which is charged for it while it plans.
    withConf("spark.sql.files.minPartitionNum" -> "1") {
      Seq("2000" -> 0, "0" -> footer).foreach { case (limit, least) =>
        val tuning = Map("footerPlanningMaxFiles" -> limit, "maxPartitionBytes" -> "1g")
        val done = assertParity(Seq(path), tuning = tuning)(_.select("c1234"))
        whenUnderTest {
          val peak = done.metric("peakBytes")
          assert(peak >= least && peak <= least + (2 << 20), s"besides $least of the footer, the end of the file and the data")
        }
        nothingHeld()
      }
    }
  }
}

class FileMemorySuite extends MemorySuite(FileStore)
class S3aMemorySuite extends MemorySuite(S3aStore.main)
