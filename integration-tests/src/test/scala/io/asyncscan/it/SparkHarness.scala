// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.{Files, Path}
import java.util.Comparator

import org.apache.spark.sql.SparkSession

/** The one Spark of this JVM, and what is under test.
  *
  * The session stays open for the life of the JVM: suites run one after another and share it, so a suite that changes
  * configuration does so through [[withConf]], which puts the old value back.
  */
object SparkHarness {

  /** The format under test. Suites are developed with `parquet`, where parity is trivial and metrics are not looked at. */
  val format: String = sys.props.getOrElse("asyncscan.it.format", "asyncscan")

  /** Spark's own reader, which says what is right. */
  val reference: String = "parquet"

  /** Whether tests that take minutes are to run as well. */
  def slow: Boolean = java.lang.Boolean.getBoolean("asyncscan.slow")

  def underTest: Boolean = format != reference

  /** (4, 0), (4, 1) or (4, 2). */
  val sparkVersion: (Int, Int) = {
    val parts = org.apache.spark.SPARK_VERSION.split('.')
    (parts(0).toInt, parts(1).toInt)
  }

  def sparkAtLeast(major: Int, minor: Int): Boolean =
    sparkVersion._1 > major || (sparkVersion._1 == major && sparkVersion._2 >= minor)

  /** Local directory for this JVM's fixtures, removed at exit. */
  val scratch: Path = {
    val dir = Files.createTempDirectory("asyncscan-it-")
    sys.addShutdownHook(deleteTree(dir))
    dir
  }

  /** Cores of the session, which the default size of asyncscan's pool follows. */
  val cores: Int = 2

  lazy val spark: SparkSession = SparkSession
    .builder()
    .master(s"local[$cores]")
    .appName("asyncscan integration tests")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    // Away from UTC and with daylight saving, so that a conversion left out or done twice shows.
    .config("spark.sql.session.timeZone", "America/Los_Angeles")
    // java.time values are exact; java.sql ones go through the Julian calendar when they are printed.
    .config("spark.sql.datetime.java8API.enabled", "true")
    .config("spark.sql.warehouse.dir", scratch.resolve("warehouse").toUri.toString)
    // A task that ends with memory still acquired fails.
    .config("spark.unsafe.exceptionOnMemoryLeak", "true")
    .config("spark.plugins", "io.asyncscan.connector.AsyncScanPlugin")
    .config("spark.hadoop.fs.s3a.connection.establish.timeout", "15000")
    // Switched on by the suites that are about it: elsewhere Spark's own reader is to be Spark's own.
    .config("spark.sql.extensions", (TableFormats.extensions :+ "io.asyncscan.connector.AsyncScanExtensions").mkString(","))
    .config(TableFormats.conf)
    .config("spark.asyncscan.enabled", "false")
    // Suites count requests, also where the machine is slower than a store ever is.
    .config("spark.asyncscan.hedge", "off")
    .getOrCreate()

  def withConf[T](pairs: (String, String)*)(body: => T): T = {
    val conf = spark.conf
    val before = pairs.map { case (key, _) => key -> conf.getOption(key) }
    pairs.foreach { case (key, value) => conf.set(key, value) }
    try body
    finally
      before.foreach {
        case (key, Some(value)) => conf.set(key, value)
        case (key, None) => conf.unset(key)
      }
  }

  def deleteTree(root: Path): Unit =
    if (Files.exists(root)) {
      val all = Files.walk(root)
      try all.sorted(Comparator.reverseOrder[Path]()).forEach(path => { Files.deleteIfExists(path); () })
      finally all.close()
    }
}
