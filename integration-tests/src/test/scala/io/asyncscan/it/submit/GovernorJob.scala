// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it.submit

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart, SparkListenerTaskEnd}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.functions._
import org.apache.spark.storage.StorageLevel

/** The applications of the governor suite: queries in a JVM with little memory, by Spark's own reader, by the session
  * extension and by the connector. What they did is printed; the suite says what is right.
  */
object GovernorJob {
  private val readers = Seq("stock", "extension", "connector")

  def main(args: Array[String]): Unit = {
    val (mode, path) = (args(0), args(1))
    val spark = SparkSession.builder().getOrCreate()
    try {
      mode match {
        case "operators" => operators(spark, path, args(2).split(',').toSeq)
        case "cache" => cache(spark, path)
      }
      println("DONE")
    } finally spark.stop()
  }

  private def read(spark: SparkSession, reader: String, path: String): DataFrame = {
    spark.conf.set("spark.asyncscan.enabled", (reader == "extension").toString)
    spark.read.format(if (reader == "connector") "asyncscan" else "parquet").load(path)
  }

  /** Each directly above the scan, in the scan's own task: one partition needs no exchange. */
  private val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "sort" -> (frame => inOrder(frame.coalesce(1).sortWithinPartitions("t", "id"))),
    "aggregation" -> (frame => digest(frame.coalesce(1).groupBy("t").agg(sum("id").as("id"), max("k").as("k")))),
    "join" -> { frame =>
      val left = frame.where("id % 4 != 1").coalesce(1)
      val right = frame.where("id % 4 != 2").select(col("t").as("u"), col("id").as("other")).coalesce(1)
      digest(left.join(right.hint("merge"), col("t") === col("u")))
    },
    "union" -> (frame => digest(frame.union(frame.where("id % 2 = 0")).coalesce(1)))
  )

  private def digest(frame: DataFrame): DataFrame =
    frame.select(xxhash64(frame.columns.toSeq.map(col): _*).as("h")).agg(count(lit(1)), sum(expr("h % 1000003")))

  /** A digest in which the order of rows counts. */
  private def inOrder(frame: DataFrame): DataFrame = {
    import frame.sparkSession.implicits._
    frame
      .mapPartitions { (rows: Iterator[Row]) =>
        var (count, digest, last, sorted) = (0L, 0L, "", true)
        rows.foreach { row =>
          count += 1
          digest = digest * 31 + row.hashCode
          val t = row.getAs[String]("t")
          sorted &&= last <= t
          last = t
        }
        Iterator((count, digest, sorted))
      }
      .toDF()
  }

  private def operators(spark: SparkSession, path: String, names: Seq[String]): Unit = {
    val watch = new Watch(spark)
    queries.filter(query => names.contains(query._1)).foreach { case (name, query) =>
      readers.foreach { reader =>
        val frame = query(read(spark, reader, path))
        val (rows, spilled) = watch.spilled(frame.collect().mkString("|"))
        println(s"QUERY $name $reader $rows $spilled ${counted(frame, "peakBytes", "bytesGranted", "denials", "jobsDropped", "misses")}")
      }
    }
  }

  /** Scans with a frame in the cache that leaves them little: what is cached is asked for before and after. */
  private def cache(spark: SparkSession, path: String): Unit = {
    val cached = read(spark, "stock", path).where("id % 3 < 2").repartition(8).persist(StorageLevel.MEMORY_ONLY)
    val rows = cached.count()
    def state: String = {
      val info = spark.sparkContext.getRDDStorageInfo.head
      s"${info.numCachedPartitions} ${info.memSize} ${info.diskSize}"
    }
    println(s"CACHED $rows $state")
    (1 to 3).foreach { round =>
      Seq("extension", "connector").foreach { reader =>
        val frame = digest(read(spark, reader, path))
        val rows = frame.collect().mkString("|")
        println(s"SCAN $round $reader $rows $state ${counted(frame, "bytesGranted", "denials")}")
      }
    }
    println(s"ANSWER ${digest(read(spark, "stock", path)).collect().mkString("|")}")
  }

  /** Metrics of asyncscan's scans, summed over the plan, which is not adaptive; zeros for Spark's own reader. */
  private def counted(frame: DataFrame, metrics: String*): String =
    metrics
      .map(name => frame.queryExecution.executedPlan.collect { case node if node.metrics.contains(name) => node.metrics(name).value }.sum)
      .mkString(" ")

  private final class Watch(spark: SparkSession) extends SparkListener {
    private val total = new AtomicLong
    private val marks = new ConcurrentHashMap[String, CountDownLatch]
    private var marked = 0
    spark.sparkContext.addSparkListener(this)

    override def onTaskEnd(end: SparkListenerTaskEnd): Unit = {
      total.addAndGet(end.taskMetrics.memoryBytesSpilled)
      ()
    }

    override def onJobStart(start: SparkListenerJobStart): Unit =
      for {
        description <- Option(start.properties.getProperty("spark.job.description"))
        mark <- Option(marks.get(description))
      } mark.countDown()

    /** Events come in order: when that of a job started now is here, all of earlier ones are. */
    private def settle(): Unit = {
      marked += 1
      val mark = s"mark $marked"
      val here = new CountDownLatch(1)
      marks.put(mark, here)
      spark.sparkContext.setJobDescription(mark)
      try spark.sparkContext.parallelize(Seq(1), 1).count()
      finally spark.sparkContext.setJobDescription(null)
      if (!here.await(60, TimeUnit.SECONDS)) throw new IllegalStateException("no event of the marking job")
    }

    /** What `body` returns, and what tasks spilled meanwhile (bytes in memory). */
    def spilled[T](body: => T): (T, Long) = {
      settle()
      val before = total.get
      val result = body
      settle()
      (result, total.get - before)
    }
  }
}
