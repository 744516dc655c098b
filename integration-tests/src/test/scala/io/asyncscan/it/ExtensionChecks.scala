// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import io.asyncscan.connector.bridge.AsyncReadExec
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.scalatest.Assertion

/** Queries that know nothing of asyncscan, with the session extension switched off and on. */
trait ExtensionChecks { this: ParitySuite =>
  import ExtensionChecks._

  def withExtension[T](body: => T): T =
    withConf("spark.asyncscan.enabled" -> "true", "spark.asyncscan.extensionSchemes" -> "*")(body)

  /** Runs the query without and with the extension and compares rows, plans and what Spark's scans counted.
    *
    * @param ordered whether the order of rows counts too
    * @param fetches whether the scans have bytes to read
    * @param counted whether what Spark's scans count is compared
    * @return what the extension's run did
    */
  def assertUnchanged(ordered: Boolean = false, fetches: Boolean = true, counted: Boolean = true)(query: => DataFrame): Parity.Done = {
    val expected = run(query)
    val actual = withExtension(run(query))
    assertSameWork(expected, actual, ordered, fetches, counted)
    actual
  }

  /** Compares a run with the extension with one without. */
  def assertSameWork(expected: Parity.Done, actual: Parity.Done, ordered: Boolean, fetches: Boolean, counted: Boolean): Assertion = {
    assert(Scans.ofExtension(expected.frame).isEmpty, "the extension is switched off")
    assertSame(expected, actual, ordered)
    assertReadAhead(actual.frame, fetches)
    assert(shape(actual.frame) == shape(expected.frame), s"\n${plan(actual.frame)}\nwhere Spark has\n${plan(expected.frame)}")
    if (counted) assert(counts(actual.frame) == counts(expected.frame))
    succeed
  }

  /** The one node of a plan with one scan. */
  def only(frame: DataFrame): AsyncReadExec = {
    val nodes = Scans.ofExtension(frame)
    assert(nodes.size == 1, s"\n${plan(frame)}")
    nodes.head
  }

  /** Every file scan is the extension's, and what it read was planned. */
  def assertReadAhead(frame: DataFrame, fetches: Boolean = true): Assertion = {
    val nodes = Scans.ofExtension(frame)
    assert(nodes.map(_.scan) == scans(frame), s"a scan was left to Spark:\n${plan(frame)}")
    val ofVersion2 = Scans.ofAsyncscan(frame)
    assert(nodes.nonEmpty || ofVersion2.nonEmpty, s"not read by asyncscan:\n${plan(frame)}")
    assert(ofVersion2 == Scans.ofVersion2(frame), s"a scan was left to Spark:\n${plan(frame)}")
    (nodes.map(node => (node: SparkPlan, node.scan)) ++ ofVersion2.map(scan => (scan, scan))).foreach { case (node, scan) =>
      val rows = scan.metrics("numOutputRows").value
      assert(missesAllowed || Scans.value(node, "misses") == 0, s"misses in\n${plan(frame)}")
      if (rows > 0 && fetches) {
        assert(Scans.value(node, "requests") > 0, s"$rows rows without a request in\n${plan(frame)}")
        assert(Scans.value(node, "bytesFetched") > 0, s"$rows rows of no bytes in\n${plan(frame)}")
      }
    }
    succeed
  }
}

object ExtensionChecks {
  def plan(frame: DataFrame): SparkPlan = frame.queryExecution.executedPlan

  def scans(frame: DataFrame): Seq[FileSourceScanExec] = Scans.operators(frame).collect { case scan: FileSourceScanExec => scan }

  /** The names of a plan's nodes, without the extension's. */
  def shape(frame: DataFrame): Seq[String] = Scans.operators(frame).map(_.nodeName.trim).filterNot(_ == "AsyncRead")

  /** What Spark's scans counted, times left out. */
  def counts(frame: DataFrame): Seq[Map[String, Long]] =
    scans(frame).map(_.metrics.collect { case (name, metric) if !name.endsWith("Time") => name -> metric.value })
}
