// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.Try

import org.scalatest.Assertions

/** Queries that are cancelled while they run. */
trait QueryKill { this: Assertions =>

  private def inBackground(group: String)(body: => Unit): (Future[Unit], () => Unit) = {
    val executor = Executors.newSingleThreadExecutor()
    val running = Future {
      SparkHarness.spark.sparkContext.setJobGroup(group, "to be cancelled", interruptOnCancel = true)
      try body
      finally SparkHarness.spark.sparkContext.clearJobGroup()
    }(ExecutionContext.fromExecutor(executor))
    (running, () => executor.shutdown())
  }

  /** Starts a query, waits for it to be in the middle, cancels it, and waits for it to end. */
  def cancelled(group: String, inTheMiddle: CountDownLatch)(body: => Unit): Unit = {
    val (running, close) = inBackground(group)(body)
    try {
      assert(inTheMiddle.await(60, TimeUnit.SECONDS), "the query did not get to its middle")
      SparkHarness.spark.sparkContext.cancelJobGroup(group)
      val ended = Try(Await.result(running, 60.seconds))
      assert(ended.isFailure, "the query was to be cancelled")
      assert(Parity.Problem(ended.failed.get).messages.toLowerCase.contains("cancel"), ended.failed.get)
      ()
    } finally close()
  }
}
