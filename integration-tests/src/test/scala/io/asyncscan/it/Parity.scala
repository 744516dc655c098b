// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.types.StructType
import org.scalatest.{Assertion, Assertions}

/** Same rows, same schema, same errors as Spark's own reader, and by asyncscan's own means. */
trait Parity { this: Assertions =>
  import Parity._
  import SparkHarness.{spark, underTest}

  /** Spark's own source for the files of this suite. */
  def reference: String = SparkHarness.reference

  /** The format under test; where that is Spark's own, it is compared with itself. */
  final def format: String = if (underTest) SparkHarness.format else reference

  def load(
      format: String,
      paths: Seq[String],
      options: Map[String, String] = Map.empty,
      schema: Option[StructType] = None
  ): DataFrame = {
    val typed = if (format == reference) Map.empty[String, String] else Map("fileFormat" -> reference)
    val reader = spark.read.format(format).options(typed ++ options)
    schema.fold(reader)(reader.schema).load(paths: _*)
  }

  /** Runs the query with both and compares what comes back.
    *
    * @param tuning options for the reader under test alone: they change how it reads, never what
    * @param ordered whether the order of rows counts too
    * @return what the reader under test did
    */
  def assertParity(
      paths: Seq[String],
      options: Map[String, String] = Map.empty,
      schema: Option[StructType] = None,
      tuning: Map[String, String] = Map.empty,
      ordered: Boolean = false
  )(transform: DataFrame => DataFrame): Done = {
    val expected = run(transform(load(reference, paths, options, schema)))
    val actual = run(transform(load(format, paths, options ++ tuned(tuning), schema)))
    assertSame(expected, actual, ordered)
    actual
  }

  /** Whether a scan may ask for bytes that no plan foresaw: of a damaged file nobody knows what a reader will want. */
  protected def missesAllowed: Boolean = false

  /** Options that only asyncscan knows are left out when Spark's reader stands in for it. */
  def tuned(tuning: Map[String, String]): Map[String, String] = if (underTest) tuning else Map.empty

  /** The same for a query as SQL text, in which `%s` stands for the format. */
  def assertSqlParity(text: String, ordered: Boolean = false): Done = {
    val expected = run(spark.sql(text.replace("%s", reference)))
    val actual = run(spark.sql(text.replace("%s", format)))
    assertSame(expected, actual, ordered)
    actual
  }

  /** For a query that fails with both: the same error condition, naming the same things.
    *
    * @param parameters the message parameters that have to be equal
    * @param cause whether Spark's innermost exception has to be there
    */
  def assertSameError(
      paths: Seq[String],
      options: Map[String, String] = Map.empty,
      schema: Option[StructType] = None,
      parameters: Set[String] = Set.empty,
      cause: Boolean = true
  )(transform: DataFrame => DataFrame): Problem = {
    val expected = problem(transform(load(reference, paths, options, schema)))
    val actual = problem(transform(load(format, paths, options, schema)))
    assert(actual.condition == expected.condition, s"\n${actual.trace}\nwhere Spark says\n${expected.trace}")
    parameters.foreach { key =>
      assert(expected.parameters.contains(key), s"Spark's error has no parameter $key: ${expected.parameters}")
      assert(normalised(actual.parameters.getOrElse(key, "")) == normalised(expected.parameters(key)))
    }
    if (cause || expected.condition.isEmpty) assertSameCause(expected, actual)
    actual
  }

  /** Spark's innermost exception is among asyncscan's, which may have one of the store's client beneath. */
  def assertSameCause(expected: Problem, actual: Problem): Assertion =
    assert(
      actual.chain.exists(_.getClass == expected.chain.last.getClass),
      s"\n${actual.trace}\nwhere Spark says\n${expected.trace}"
    )

  /** For a query whose outcome depends on the version of Spark: equal rows or an equal error. */
  def assertSameAnswer(paths: Seq[String], options: Map[String, String] = Map.empty, schema: Option[StructType] = None)(
      transform: DataFrame => DataFrame
  ): Unit =
    if (Try(transform(load(reference, paths, options, schema)).collect()).isSuccess)
      assertParity(paths, options, schema)(transform)
    else assertSameError(paths, options, schema)(transform)

  def problem(frame: => DataFrame): Problem = Try(frame.collect()) match {
    case Success(rows) => fail(s"no error, but ${rows.length} rows")
    case Failure(NonFatal(error)) => Problem(error)
    case Failure(error) => throw error
  }

  def run(frame: => DataFrame): Done = {
    val lazily = frame
    val rows = lazily.collect().toSeq
    val done = Done(lazily, rows)
    whenUnderTest(checkScans(done))
    done
  }

  def assertSame(expected: Done, actual: Done, ordered: Boolean): Assertion = {
    assert(Canonical(actual.frame.schema) == Canonical(expected.frame.schema), "schema")
    val want = expected.canonical(ordered)
    val have = actual.canonical(ordered)
    if (want != have) {
      val missing = want.diff(have).take(5).mkString("\n  ", "\n  ", "")
      val extra = have.diff(want).take(5).mkString("\n  ", "\n  ", "")
      fail(s"${have.size} rows where Spark has ${want.size}; not read:$missing\nnot there:$extra\n" +
        actual.frame.queryExecution.executedPlan)
    }
    // Where Spark's reader scans files, asyncscan has to have scanned them: falling back to another reader is a failure.
    if (underTest && Scans.ofFiles(expected.frame).nonEmpty)
      assert(
        (Scans.ofAsyncscan(actual.frame) ++ Scans.ofAsyncscanFormat(actual.frame)).nonEmpty,
        s"not read by asyncscan:\n${actual.frame.queryExecution.executedPlan}"
      )
    succeed
  }

  private def checkScans(done: Done): Unit =
    Scans.ofAsyncscan(done.frame).foreach { scan =>
      val plan = done.frame.queryExecution.executedPlan
      assert(missesAllowed || Scans.value(scan, "misses") == 0, s"misses in\n$plan")
      val rows = scan.metrics.get("numOutputRows").map(_.value).getOrElse(0L)
      if (rows > 0 && readsData(scan.scan.readSchema))
        assert(Scans.value(scan, "requests") > 0, s"rows without a request in\n$plan")
    }

  /** A scan of partition columns alone, of _metadata alone or of nothing asks for no data; suites name theirs so. */
  private def readsData(schema: StructType): Boolean =
    schema.fieldNames.exists(name => !name.startsWith("_metadata") && !name.startsWith("p_"))

  /** Runs `body` where asyncscan is under test; Spark's own reader has none of its metrics. */
  def whenUnderTest(body: => Any): Unit = if (underTest) { body; () }
}

object Parity {

  /** A query that succeeded. */
  final case class Done(frame: DataFrame, rows: Seq[Row]) {
    def canonical(ordered: Boolean): Seq[String] = {
      val all = rows.map(Canonical(_))
      if (ordered) all else all.sorted
    }

    def metric(name: String): Long = Scans.metric(frame, name)
  }

  /** Files that Spark's own scan read; those of partitions that were pruned away are not counted. */
  def sparkFilesRead(done: Done): Long = Scans.operators(done.frame).collect { case scan: FileSourceScanExec =>
    scan.metrics("numFiles").value
  }.sum

  /** A query that failed. */
  final case class Problem(error: Throwable) {
    val chain: Seq[Throwable] = {
      @tailrec def walk(at: Throwable, seen: List[Throwable]): List[Throwable] =
        if (at == null || seen.contains(at)) seen.reverse else walk(at.getCause, at :: seen)
      walk(error, Nil)
    }

    private val spark: Option[SparkThrowable] = chain.collectFirst {
      case throwable: SparkThrowable if throwable.getCondition != null => throwable
    }

    val condition: Option[String] = spark.map(_.getCondition)
    val parameters: Map[String, String] =
      spark.map(_.getMessageParameters.asScala.toMap).getOrElse(Map.empty)
    val messages: String = chain.map(_.getMessage).mkString("\n")

    def trace: String = {
      val text = new java.io.StringWriter
      error.printStackTrace(new java.io.PrintWriter(text))
      text.toString
    }
  }

  /** `file:/x` and `file:///x` are one path. */
  private def normalised(text: String): String = text.replace("file:///", "file:/")
}
