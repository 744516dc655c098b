// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.suites

import java.util.concurrent.atomic.AtomicLong

import io.asyncscan.connector.bridge.AsyncReadExec
import org.apache.spark.sql.execution.{FileSourceScanExec, QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.util.QueryExecutionListener

/** Counts what asyncscan read for the queries of this JVM. Spark makes one per session, by its class name. */
class ReadCounter extends QueryExecutionListener {
  override def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit = count(query)

  override def onFailure(name: String, query: QueryExecution, error: Exception): Unit = count(query)

  private def count(query: QueryExecution): Unit = walk(query.executedPlan)

  private def walk(plan: SparkPlan): Unit = plan match {
    case adaptive: AdaptiveSparkPlanExec => walk(adaptive.executedPlan)
    case stage: QueryStageExec => walk(stage.plan)
    case node =>
      node match {
        case _: AsyncReadExec => add(node)
        case scan: BatchScanExec if scan.scan.getClass.getName.startsWith("io.asyncscan.") => add(node)
        case _: FileSourceScanExec => ReadCounter.sparks.incrementAndGet()
        case _ =>
      }
      (node.children ++ node.subqueries).foreach(walk)
  }

  private def add(node: SparkPlan): Unit = {
    val metrics = node.metrics
    ReadCounter.scans.incrementAndGet()
    ReadCounter.requests.addAndGet(metrics("requests").value)
    ReadCounter.misses.addAndGet(metrics("misses").value)
    ()
  }
}

object ReadCounter {

  /** Scans of asyncscan's, all version 1 file scans, requests and misses since the last [[take]]. */
  val scans, sparks, requests, misses = new AtomicLong

  final case class Reads(scans: Long, version1: Long, requests: Long, misses: Long)

  def take(): Reads = Reads(scans.getAndSet(0), sparks.getAndSet(0), requests.getAndSet(0), misses.getAndSet(0))
}
