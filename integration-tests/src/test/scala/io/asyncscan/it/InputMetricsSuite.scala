// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.atomic.LongAdder

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.ListenerBusAccess

/** The bytes and records that Spark's own accounts name for a scan. */
abstract class InputMetricsSuite(store: Store) extends ParitySuite(store) {

  private val schema = Some(StructType.fromDDL("id bigint, r double, t string"))

  private def data: String = written("input-metrics", spark.range(0, 30000, 1, 2).selectExpr("id", "rand(3) as r", "concat('t', id) as t"))(
    _.option("parquet.enable.dictionary", "false").option("parquet.block.size", "65536")
  )

  private def input(frame: DataFrame): Input = TaskInput.of(frame.collect())

  private def both(path: String)(transform: DataFrame => DataFrame): (Input, Input) =
    (
      input(transform(load(SparkHarness.reference, Seq(path), schema = schema))),
      input(transform(load(SparkHarness.format, Seq(path), schema = schema)))
    )

  test("records read") {
    val path = data
    eachReader { _ =>
      val (stock, ours) = both(path)(identity)
      assert(stock.records == 30000 && ours.records == 30000)
      val (some, oursToo) = both(path)(_.where("id < 0"))
      assert(oursToo.records == some.records)
      val (counted, alsoCounted) = both(path)(_.agg(count(lit(1))))
      assert(alsoCounted.records == counted.records)
    }
  }

  private def chunks(path: String, column: Option[String]): Long = {
    import scala.jdk.CollectionConverters._
    store.files(path).map { file =>
      ParquetFiles.footer(store.read(file)).getRow_groups.asScala.flatMap(_.getColumns.asScala).map(_.getMeta_data)
        .filter(meta => column.forall(_ == meta.getPath_in_schema.get(0))).map(_.getTotal_compressed_size).sum
    }.sum
  }

  test("bytes read") {
    // Vectored reads of local files are not in Spark's own account, so it cannot be the measure.
    assume(SparkHarness.underTest)
    val path = data
    val size = store.files(path).map(store.length).sum
    val whole = input(load(SparkHarness.format, Seq(path), schema = schema))
    assert(whole.bytes >= chunks(path, None) && whole.bytes <= size * 1.2, s"$whole of $size")
    val one = input(load(SparkHarness.format, Seq(path), schema = schema).select("r"))
    val needed = chunks(path, Some("r"))
    assert(one.bytes >= needed && one.bytes < whole.bytes, s"$one where the column has $needed")
    val again = input(load(SparkHarness.format, Seq(path), schema = schema))
    assert(again == whole, "the same query reads the same bytes")
  }

  test("a read asks the store once for what it has to know") {
    assume(SparkHarness.underTest && store.name == "s3a")
    val directory = data
    val file = store.files(directory).head
    def cold(path: String): Seq[S3Request] = S3Server.recording {
      load(SparkHarness.format, Seq(path)).agg(sum("id")).collect()
    }._2
    val one = cold(file)
    assert(!one.exists(_.verb == "HEAD"), s"the end of the file tells that it exists: $one")
    val tails = one.filter(request => request.verb == "GET" && request.ranges.exists(_.startsWith("-")))
    assert(tails.size == 1, s"the schema and the plan come from the same bytes: $one")
    val several = cold(directory)
    assert(several.count(_.verb == "HEAD") == 1, s"whether the directory is a file: $several")
    val gets = several.filter(_.verb == "GET")
    assert(gets.distinct.size == gets.size, s"nothing is fetched twice: $several")
    val footers = gets.filter(_.ranges.exists(_.startsWith("-"))).groupBy(_.key).map(_._2.size)
    assert(footers.size == 2 && footers.forall(_ == 1), s"one request for each footer: $several")
  }

  test("bytes read are the bytes fetched by tasks") {
    assume(SparkHarness.underTest)
    val path = data
    // Footers on the executors: all that is fetched is fetched by tasks.
    val frame = load(SparkHarness.format, Seq(path), Map("footerPlanningMaxFiles" -> "0"), schema)
    val seen = input(frame)
    assert(seen.bytes == Scans.metric(frame, "bytesFetched"))
  }
}

/** What tasks reported. */
final case class Input(bytes: Long, records: Long)

object TaskInput {

  /** What the tasks that ran for `body` reported. */
  def of(body: => Any): Input = {
    val spark = SparkHarness.spark
    val bytes = new LongAdder
    val records = new LongAdder
    val listener = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit = {
        bytes.add(end.taskMetrics.inputMetrics.bytesRead)
        records.add(end.taskMetrics.inputMetrics.recordsRead)
      }
    }
    ListenerBusAccess.drain(spark.sparkContext)
    spark.sparkContext.addSparkListener(listener)
    try {
      body
      ListenerBusAccess.drain(spark.sparkContext)
    } finally spark.sparkContext.removeSparkListener(listener)
    Input(bytes.sum, records.sum)
  }
}

class FileInputMetricsSuite extends InputMetricsSuite(FileStore)
class S3aInputMetricsSuite extends InputMetricsSuite(S3aStore.main)
