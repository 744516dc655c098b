// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.suites

import java.nio.file.{Files, Path}
import java.util.{List => JList, Locale}
import java.util.concurrent.{Executors, TimeUnit}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration
import scala.jdk.CollectionConverters._
import scala.util.Using

import io.trino.tpcds.{Results, Session, Table}
import io.trino.tpcds.random.RandomNumberStream
import io.trino.tpcds.row.generator.RowGenerator
import org.apache.spark.sql.{Row, SparkSession, TPCDSSchema}
import org.apache.spark.sql.functions.{col, rpad}
import org.apache.spark.sql.types.{CharType, StringType, StructField, StructType, VarcharType}

/** The tables of TPC-DS at scale factor 1, as Spark's `TPCDSQueryTestSuite` wants them: one directory of Parquet each.
  *
  * Spark publishes the results its queries have to give over data of `dsdgen -RNGSEED 100`. The generator here is the Java port, which
  * gives the same rows once its random number streams start from that seed.
  */
object TpcdsData extends TPCDSSchema {

  /** The seed of Spark's data (`GenTPCDSData`), and the one the port is made with (`RandomNumberStreamImpl`). */
  private val seed = 100L
  private val portsSeed = 19620718L

  /** So that a large table is many row groups of a file. */
  private val rowGroupBytes = 4 * 1024 * 1024

  /** Makes what is missing below `directory`; a table of an earlier run is used again if it is whole. */
  def prepare(directory: Path): Unit = {
    val missing = tableColumns.keys.filterNot(table => Files.exists(directory.resolve(table).resolve("_SUCCESS"))).toSeq
    if (missing.nonEmpty)
      Using.resource(SparkSession.builder().master("local[*]").appName("tpcds-data").config("spark.sql.extensions", "").getOrCreate()) { spark =>
        spark.sparkContext.hadoopConfiguration.setInt("parquet.block.size", rowGroupBytes)
        val writers = Executors.newFixedThreadPool(Runtime.getRuntime.availableProcessors)
        try {
          implicit val context: ExecutionContext = ExecutionContext.fromExecutorService(writers)
          Await.result(Future.traverse(missing)(table => Future(write(spark, table, directory.resolve(table)))), Duration(1, TimeUnit.HOURS))
        } finally writers.shutdownNow()
      }
  }

  /** One file, as in Spark's own run: where a query leaves the order open, that of the rows decides. */
  private def write(spark: SparkSession, table: String, target: Path): Unit = {
    val schema = StructType.fromDDL(tableColumns(table))
    val rows = spark.sparkContext.parallelize(Seq(table), 1).flatMap(generated)
    val text = spark.createDataFrame(rows, StructType(schema.fields.map(field => StructField(field.name, StringType))))
    val columns = schema.fields.map { field =>
      val value = field.dataType match {
        case char: CharType => rpad(col(field.name), char.length, " ")
        case _: VarcharType => col(field.name)
        case other => col(field.name).cast(other)
      }
      value.as(field.name)
    }
    text.select(columns.toSeq: _*).write.mode("overwrite").parquet(target.toString)
  }

  private def generated(name: String): Iterator[Row] = {
    val table = Table.valueOf(name.toUpperCase(Locale.ROOT))
    val results = Results.constructResults(table, Session.getDefaultSession.withScale(1).withTable(table)).iterator
    reseed(results)
    // A table of returns comes with none, one or several rows per row of sales; others have one.
    results.asScala.flatMap(_.asScala).map(row => Row.fromSeq(row.asScala.map(asSparkReadIt).toSeq))
  }

  /** `dsdgen` writes Latin-1, which Spark has read as UTF-8, and no value where it is empty. */
  private def asSparkReadIt(value: String): String =
    if (value == null || value.isEmpty) null else value.map(char => if (char < 128) char else '\uFFFD')

  /** Sets the streams of the generators behind `results`, which the port has no way to say. */
  private def reseed(results: java.util.Iterator[JList[JList[String]]]): Unit = {
    val generators = fields(results).collect { case generator: RowGenerator => generator }
    val streams = generators.flatMap(fields).collect { case map: java.util.Map[_, _] => map.values.asScala }.flatten
    require(streams.nonEmpty && streams.forall(_.isInstanceOf[RandomNumberStream]), "no random number streams found")
    for {
      stream <- streams
      name <- Seq("initialSeed", "seed")
    } {
      val field = stream.getClass.getDeclaredField(name)
      field.setAccessible(true)
      field.setLong(stream, field.getLong(stream) - portsSeed + seed)
    }
  }

  private def fields(owner: Any): Seq[Any] =
    Iterator
      .iterate[Class[_]](owner.getClass)(_.getSuperclass)
      .takeWhile(_ != null)
      .flatMap(_.getDeclaredFields)
      .filterNot(field => java.lang.reflect.Modifier.isStatic(field.getModifiers))
      .filter(field => field.getDeclaringClass.getName.startsWith("io.trino."))
      .map { field =>
        field.setAccessible(true)
        field.get(owner)
      }
      .toSeq
}
