// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import io.asyncscan.connector.bridge.AsyncReadExec
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/** The scans of a plan that has run, and what they counted. */
object Scans {

  /** Every operator that ran, each once: adaptive plans, their stages, subqueries and cached plans are walked. */
  def operators(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case adaptive: AdaptiveSparkPlanExec => operators(adaptive.executedPlan)
    case stage: QueryStageExec => operators(stage.plan)
    // Its child ran where it was first met.
    case reused: ReusedExchangeExec => Seq(reused)
    case cached: InMemoryTableScanExec => cached +: operators(cached.relation.cachedPlan)
    case other => other +: (other.children ++ other.subqueries).flatMap(operators)
  }

  def operators(frame: DataFrame): Seq[SparkPlan] = operators(frame.queryExecution.executedPlan)

  /** The scans by asyncscan. */
  def ofAsyncscan(frame: DataFrame): Seq[BatchScanExec] = operators(frame).collect {
    case scan: BatchScanExec if scan.scan.getClass.getName.startsWith("io.asyncscan.") => scan
  }

  /** Scans by asyncscan in the form of a file format, as which Spark resolves a path in SQL. They have no metrics of ours. */
  def ofAsyncscanFormat(frame: DataFrame): Seq[FileSourceScanExec] = operators(frame).collect {
    case scan: FileSourceScanExec if scan.relation.fileFormat.getClass.getName.startsWith("io.asyncscan.") => scan
  }

  /** Scans by version 2 sources, whoever does them. */
  def ofVersion2(frame: DataFrame): Seq[BatchScanExec] = operators(frame).collect { case scan: BatchScanExec => scan }

  /** Spark's own file scans that the session extension lets read ahead. */
  def ofExtension(frame: DataFrame): Seq[AsyncReadExec] = operators(frame).collect { case node: AsyncReadExec => node }

  /** All scans of files, whoever does them. */
  def ofFiles(frame: DataFrame): Seq[SparkPlan] = operators(frame).collect {
    case scan: FileSourceScanExec => scan
    case scan: BatchScanExec => scan
  }

  /** A metric summed over the scans by asyncscan. */
  def metric(frame: DataFrame, name: String): Long = ofAsyncscan(frame).map(value(_, name)).sum

  def value(scan: SparkPlan, name: String): Long =
    scan.metrics.getOrElse(name, throw new NoSuchElementException(s"$name is not among ${scan.metrics.keySet}")).value
}

/** The metrics that every scan by asyncscan has, by name, with what the SQL tab calls them. */
object MetricNames {
  val all: Seq[(String, String)] = Seq(
    "requests" -> "requests",
    "bytesFetched" -> "bytes fetched",
    "bytesOverRead" -> "bytes over-read",
    "bytesNeverDecoded" -> "bytes fetched and never decoded",
    "stallTime" -> "stall time",
    "decodeTime" -> "decode time",
    "peakBytes" -> "read-ahead peak bytes",
    "depthReached" -> "depth reached",
    "bytesGranted" -> "read-ahead bytes granted",
    "denials" -> "read-ahead denied for memory",
    "jobsDropped" -> "jobs dropped under pressure",
    "retries" -> "retries",
    "throttles" -> "throttles",
    "hedgesWon" -> "hedged requests won",
    "misses" -> "misses",
    "rowGroupsPruned" -> "row groups pruned",
    "planningTime" -> "planning time"
  )
}
