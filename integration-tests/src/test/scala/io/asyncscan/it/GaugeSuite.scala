// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import scala.concurrent.duration._

import org.apache.spark.{MetricsAccess, SparkEnv}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.storage.StorageLevel

/** The plugin's gauges, out of Spark's metrics system, against the metrics of the queries that ran. */
class GaugeSuite extends ParitySuite(S3aStore.main) with NothingLeft {

  private def data: String = written(
    "gauges",
    spark.range(0, 20000, 1, 1).selectExpr("id", "rand(3) as r", "concat('t', rand(4)) as t")
  )(_.option("parquet.enable.dictionary", "false").option("parquet.block.size", "65536").option("parquet.page.size", "8192"))

  /** The default of `memoryFraction`, which the suites do not change. */
  private val fraction = 0.3

  private def gauges: Map[String, Long] = MetricsAccess.gauges("io.asyncscan.connector.AsyncScanPlugin")

  /** All by the task: footers too. */
  private def scan(path: String, tuning: (String, String)*): DataFrame = load(
    SparkHarness.format,
    Seq(path),
    Map("footerPlanningMaxFiles" -> "0", "maxPartitionBytes" -> "1g") ++ tuning,
    Some(StructType.fromDDL("id bigint, r double, t string"))
  ).agg(count(lit(1)), sum("r"), max("t"))

  private def grown(before: Map[String, Long], name: String): Long = gauges(name) - before(name)

  test("totals are the sums of what scans count") {
    assume(SparkHarness.underTest)
    val path = data
    val before = gauges
    val plenty = run(scan(path))
    val none = run(scan(path, "readAheadMaxBytes" -> "0"))
    assert(plenty.rows == none.rows)
    nothingLeft()
    def sums(metric: String): Long = plenty.metric(metric) + none.metric(metric)
    Seq(
      "requestsTotal" -> "requests",
      "bytesFetchedTotal" -> "bytesFetched",
      "bytesGrantedTotal" -> "bytesGranted",
      "denialsTotal" -> "denials",
      "jobsDroppedTotal" -> "jobsDropped",
      "retriesTotal" -> "retries",
      "throttlesTotal" -> "throttles",
      "hedgesWonTotal" -> "hedgesWon"
    ).foreach { case (gauge, metric) => assert(grown(before, gauge) == sums(metric), gauge) }
    assert(plenty.metric("bytesGranted") > 0 && none.metric("bytesGranted") == 0)
    assert(plenty.metric("denials") == 0 && none.metric("denials") > 0)
    assert(gauges("readAheadPeakBytes") >= plenty.metric("peakBytes"))
    Seq("scans", "requestsRunning", "readAheadBytes").foreach(name => assert(gauges(name) == 0, name))
  }

  test("the budget is the share of what nobody but read-ahead holds") {
    assume(SparkHarness.underTest)
    nothingLeft()
    val memory = SparkEnv.get.memoryManager
    def free: Long = memory.maxOnHeapStorageMemory - memory.onHeapStorageMemoryUsed
    // Nothing runs, but blocks of broadcasts are cleaned up behind the back of a test.
    def budget: (Long, Long, Long) = {
      val before = free
      val now = gauges("readAheadBudgetBytes")
      (before, now, free)
    }
    def holds: Boolean = {
      val (before, now, after) = budget
      before == after && now == (before * fraction).toLong
    }
    eventually(timeout(20.seconds))(assert(holds, budget))
    val cached = spark.range(0, 200000, 1, 1).persist(StorageLevel.MEMORY_ONLY)
    try {
      assert(cached.count() == 200000)
      val inMemory = spark.sparkContext.getRDDStorageInfo.map(_.memSize).sum
      assert(inMemory > 0, "nothing is cached")
      eventually(timeout(20.seconds))(assert(holds, budget))
      // Against the whole, and not against what was free before: that grows as broadcasts are cleaned up.
      val most = ((memory.maxOnHeapStorageMemory - inMemory) * fraction).toLong
      assert(gauges("readAheadBudgetBytes") <= most, "what is cached is not read-ahead's")
    } finally cached.unpersist(blocking = true)
  }

  test("a scan that is under way") {
    assume(SparkHarness.underTest)
    val path = data
    val seen = new AtomicReference[Map[String, Long]]
    val looked = new CountDownLatch(1)
    // The first requests stand still at the server until somebody has looked.
    val result = S3Server.withHook { key =>
      if (key.contains("gauges")) {
        val now = gauges
        if (now("readAheadBytes") > 0 && seen.compareAndSet(null, now)) looked.countDown()
        looked.await(60, TimeUnit.SECONDS)
        ()
      }
    }(run(scan(path)))
    assert(result.rows.head.getLong(0) == 20000)
    val now = seen.get
    assert(now("scans") == 1)
    assert(now("requestsRunning") <= now("threads") && now("requestsRunning") <= now("requestLimit"))
    assert(now("readAheadPeakBytes") >= now("readAheadBytes"))
    assert(now("readAheadBytes") <= now("readAheadBudgetBytes"), "what it holds is within what it may")
    nothingLeft()
  }
}
