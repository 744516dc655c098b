// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

/** A suite that reads files of one store with both readers. */
abstract class ParitySuite(val store: Store) extends AnyFunSuite with Parity {
  // The type annotation keeps implicits of the session importable from here.
  lazy val spark: SparkSession = SparkHarness.spark

  def withConf[T](pairs: (String, String)*)(body: => T): T = SparkHarness.withConf(pairs: _*)(body)

  /** The URI of a dataset in this suite's store. `write` makes it in a local directory, once for both stores. */
  def dataset(name: String)(write: Path => Unit): String = {
    val local = ParitySuite.local(name, write)
    val target = store.fresh(name)
    store.put(local, target)
    target
  }

  /** A dataset that Spark writes. */
  def written(name: String, frame: => DataFrame)(how: DataFrameWriter[Row] => DataFrameWriter[Row]): String =
    dataset(name) { dir =>
      how(frame.write.mode("overwrite")).parquet(dir.toUri.toString)
      // The checksum files of Hadoop's local file system would go stale when a test changes a file.
      val all = Files.walk(dir)
      try all.filter(_.toString.endsWith(".crc")).forEach(Files.delete(_))
      finally all.close()
    }

  /** A dataset of one file that parquet-java writes. */
  def example(name: String)(write: Path => Unit): String =
    dataset(name)(dir => write(Files.createDirectories(dir).resolve("part-0.parquet")))

  /** Row by row, Spark's reader opens files and asks for bytes in another way. Where a suite is about that, it asks for
    * both over each store; elsewhere one store is enough.
    */
  protected def bothReaders: Boolean = store.name == "file"

  /** The ways in which Spark's reader hands out rows: in columnar batches and one by one. */
  def eachReader(body: String => Unit): Unit =
    Seq("true" -> "vectorized", "false" -> "row by row").take(if (bothReaders) 2 else 1).foreach { case (vectorized, label) =>
      withConf(
        "spark.sql.parquet.enableVectorizedReader" -> vectorized,
        "spark.sql.parquet.enableNestedColumnVectorizedReader" -> vectorized
      )(withClue(s"$label: ")(body(label)))
    }
}

object ParitySuite {
  private val datasets = new ConcurrentHashMap[String, Path]

  private def local(name: String, write: Path => Unit): Path =
    datasets.computeIfAbsent(
      name,
      _ => {
        val dir = SparkHarness.scratch.resolve("datasets").resolve(name)
        Files.createDirectories(dir.getParent)
        write(dir)
        dir
      }
    )
}
