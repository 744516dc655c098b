// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import scala.jdk.CollectionConverters._

import io.asyncscan.reader.fetch.ExecutorResources
import org.apache.spark.SparkEnv
import org.scalatest.Assertions
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Millis, Seconds, Span}

/** What a scan must not leave behind: busy threads, memory, open scans. */
trait NothingLeft extends Eventually { this: Assertions with Parity =>

  // Ends are told to pool threads, which need a moment to hear; nothing is right because time has passed.
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds), Span(20, Millis))

  def fetchThreads: Map[Thread, Array[StackTraceElement]] =
    Thread.getAllStackTraces.asScala.toMap.filter { case (thread, _) => thread.getName.startsWith("asyncscan-fetch-") }

  /** Threads that are in the middle of a fetch: some frame of theirs is about bytes, files or the network. */
  private def busy: Seq[String] = fetchThreads.collect {
    case (thread, stack) if stack.exists { frame =>
          val name = frame.getClassName
          name.startsWith("io.asyncscan.reader.storage.") || name.startsWith("org.apache.hadoop.") ||
          name.startsWith("software.amazon.awssdk.")
        } =>
      s"${thread.getName}: ${stack.take(12).mkString("\n  ")}"
  }.toSeq

  def nothingLeft(): Unit = {
    eventually {
      assert(busy.isEmpty)
      assert(SparkEnv.get.memoryManager.executionMemoryUsed == 0)
      val state = ExecutorResources.state()
      assert(state.scans == 0 && state.heldBytes == 0, state)
    }
    whenUnderTest(fetchThreads.keys.foreach(thread => assert(thread.isDaemon, thread.getName)))
  }
}
