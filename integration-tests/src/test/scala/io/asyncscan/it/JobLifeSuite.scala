// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Kill and failure at each point of a job's life. The server stands still, or fails, from a certain request of the task
  * on: the first is for the footer, the second for the first row group, which the task then waits for while others are
  * under way or wait for a thread.
  */
class JobLifeSuite extends ParitySuite(S3aStore.main) with NothingLeft with QueryKill {

  private val rows = 20000L

  /** One file of some thirty row groups, read by one task. */
  private def data: String = written(
    "points",
    spark.range(0, rows, 1, 1).selectExpr("id", "rand(3) as r", "concat('t', rand(4)) as t")
  )(_.option("parquet.enable.dictionary", "false").option("parquet.block.size", "16384").option("parquet.page.size", "4096"))

  private val points = Seq("planned" -> 1, "claimed, others in flight" -> 2, "decoding, others in flight" -> 12)

  /** Footers are read by the task, one attempt and a short second one; the schema is known. */
  private def scan(path: String, hedge: String): DataFrame = load(
    SparkHarness.format,
    Seq(path),
    tuned(
      Map(
        "footerPlanningMaxFiles" -> "0",
        "maxAttempts" -> "2",
        "retryBaseDelay" -> "1ms",
        "maxPartitionBytes" -> "1g",
        "hedge" -> hedge
      )
    ),
    Some(StructType.fromDDL("id bigint, r double, t string"))
  )

  private def all(path: String, hedge: String = "off"): DataFrame = scan(path, hedge).agg(count(lit(1)), sum("r"), max("t"))

  private def drain(path: String): Long = all(path).head().getLong(0)

  /** Runs `body` while `act` stands before each GET of the data from the given one on. */
  private def from(request: Int)(act: => Unit)(body: => Unit): Unit = {
    val seen = new AtomicInteger
    S3Server.withHook(key => if (key.contains("points") && seen.incrementAndGet() >= request) act)(body)
  }

  points.foreach { case (name, request) =>
    test(s"killed: $name") {
      val path = data
      val asked = new CountDownLatch(1)
      val answer = new CountDownLatch(1)
      try
        from(request) {
          asked.countDown()
          answer.await(60, TimeUnit.SECONDS)
          ()
        } {
          val frame = all(path)
          cancelled(s"kill $name", asked)(frame.collect())
          // The server still holds the answers back: requests have to be given up, not waited for.
          whenUnderTest(nothingLeft())
        }
      finally answer.countDown()
      nothingLeft()
      assert(drain(path) == rows)
    }

    test(s"failed: $name") {
      assume(SparkHarness.underTest)
      val path = data
      from(request)(throw new IllegalStateException("the server fails on purpose")) {
        val problem = Parity.Problem(intercept[Exception](drain(path)))
        assert(problem.messages.contains("points"), "the error names the file")
        nothingLeft()
      }
      assert(drain(path) == rows)
      nothingLeft()
    }
  }

  test("a request that the store forgets is sent again") {
    assume(SparkHarness.underTest)
    val path = data
    val expected = all(path).head()
    // Without a second request the task waits for the answer, which is not given for so long that a failing test ends.
    def forgetting(): Long = {
      val seen = new AtomicInteger
      val answer = new CountDownLatch(1)
      try
        S3Server.withHook { key =>
          if (key.contains("points") && seen.incrementAndGet() == 12) {
            answer.await(10, TimeUnit.SECONDS)
            ()
          }
        } {
          val done = run(all(path, "auto"))
          assert(done.rows == Seq(expected))
          assert(done.metric("retries") == 0)
          done.metric("hedgesWon")
        }
      finally {
        answer.countDown()
        nothingLeft()
      }
    }
    // Now and then it is the task itself that has sent the request, for want of anything to decode.
    assert(Iterator.continually(forgetting()).take(5).contains(1L), "no second request was answered first")
  }
}
