// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._

import org.apache.spark.sql.functions._

/** However a scan ends, nothing of it stays: no busy thread, no memory, no connection. */
abstract class LifecycleSuite(store: Store) extends ParitySuite(store) with NothingLeft with QueryKill {

  private def rows = spark.range(0, 20000, 1, 2).selectExpr("id", "rand(3) as r", "concat('t', rand(4)) as t")

  /** Two files of some thirty row groups. */
  private def data(in: Store = store): String = {
    val local = written("life", rows)(
      _.option("parquet.enable.dictionary", "false").option("parquet.block.size", "16384").option("parquet.page.size", "4096")
    )
    if (in eq store) local
    else {
      val target = in.fresh("life")
      store.files(local).foreach(file => in.write(s"$target/${store.path(file).getName}", store.read(file)))
      target
    }
  }

  private def scan(path: String) = load(SparkHarness.format, Seq(path))

  /** Runs all of the scan in this JVM's tasks and looks at every row. */
  private def drain(path: String): Long = scan(path).agg(count(lit(1)), sum("r"), max("t")).head().getLong(0)

  test("after success") {
    val path = data()
    assert(drain(path) == 20000)
    nothingLeft()
    whenUnderTest(assert(fetchThreads.nonEmpty))
  }

  test("after stopping early") {
    val path = data()
    (1 to 10).foreach { _ =>
      assert(scan(path).limit(3).collect().length == 3)
      assert(scan(path).head().getLong(0) >= 0)
    }
    nothingLeft()
    val iterator = scan(path).toLocalIterator()
    iterator.next()
    // The rest is dropped on the floor.
    assert(drain(path) == 20000)
    nothingLeft()
  }

  test("after a failure above the scan") {
    val path = data()
    val failing = udf((i: Long) => if (i % 5000 == 4321) throw new IllegalStateException("on purpose") else i)
    val problem = Parity.Problem(intercept[Exception](scan(path).select(failing(col("id")), col("t")).collect()))
    assert(problem.messages.contains("on purpose"))
    nothingLeft()
    assert(drain(path) == 20000)
  }

  test("after a failure of the scan") {
    val path = data()
    val frame = scan(path)
    assert(frame.queryExecution.executedPlan != null)
    store.delete(store.files(path)(1))
    intercept[Exception](frame.collect())
    nothingLeft()
    assert(drain(data()) == 20000)
  }

  test("after a kill between batches") {
    val path = data()
    LifecycleSuite.reset()
    // The function is of the companion: this suite does not go along to the task.
    val holding = udf(LifecycleSuite.hold)
    try cancelled(s"kill-${store.name}", LifecycleSuite.reached)(scan(path).select(holding(col("id")), col("t")).collect())
    finally LifecycleSuite.release.countDown()
    nothingLeft()
    assert(drain(path) == 20000)
  }

  test("after a kill while fetches are on their way") {
    assume(store.name == "s3a")
    val path = data()
    val asked = new CountDownLatch(1)
    val answer = new CountDownLatch(1)
    val footers = scan(path).schema
    try
      S3Server.withHook { key =>
        if (key.contains("life")) {
          asked.countDown()
          answer.await(60, TimeUnit.SECONDS)
          ()
        }
      } {
        // Footers on the executors, so that it is a task that waits and not the driver.
        val frame = load(SparkHarness.format, Seq(path), tuned(Map("footerPlanningMaxFiles" -> "0")), Some(footers))
        cancelled("kill-fetches", asked)(frame.collect())
        // The server still holds the answers back: the fetches have to be given up, not waited for.
        whenUnderTest(nothingLeft())
      }
    finally answer.countDown()
    nothingLeft()
    assert(drain(path) == 20000)
  }

  test("a hundred scans leave as many threads and bytes as one") {
    val path = data()
    // The pool may grow on demand, up to its size; a scan with more ranges than threads fills it.
    (1 to 3).foreach(_ => drain(path))
    nothingLeft()
    val before = fetchThreads.size
    val schema = scan(path).schema
    def typed = load(SparkHarness.format, Seq(path), schema = Some(schema))
    (1 to 70).foreach(i => assert(typed.where(s"id >= $i").select("id").count() == 20000 - i))
    (1 to 30).foreach(i => assert(typed.limit(i).collect().length == i))
    nothingLeft()
    assert(fetchThreads.size <= before.max(64))
    whenUnderTest {
      assert(before > 0)
      assert(fetchThreads.size <= 64, "the default for few cores")
    }
  }

  test("two connections are enough") {
    // Spark's own reader is not asked: with two connections its vectored reads may wait for each other.
    assume(store.name == "s3a" && SparkHarness.underTest)
    val path = data(S3aStore.narrow)
    (1 to 50).foreach { i =>
      if (i % 5 == 0) assert(scan(path).limit(2).collect().length == 2)
      else if (i % 7 == 0) assert(drain(path) == 20000)
      else assert(scan(path).where(s"id = $i").select("id").collect().map(_.getLong(0)).toSeq == Seq(i.toLong))
    }
    nothingLeft()
    val fs = S3aStore.narrow.fileSystem(path)
    assert(fs.exists(S3aStore.narrow.path(path)), "a connection is free")
  }

  test("a sort above the scan keeps its memory") {
    val path = data()
    val sorted = assertParity(Seq(path), ordered = true)(_.orderBy(desc("t"), col("id")))
    assert(sorted.rows.size == 20000)
    nothingLeft()
  }

  test("queries side by side") {
    val path = data()
    val pool = Executors.newFixedThreadPool(4)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
    try {
      val all = Future.sequence((1 to 8).map(i => Future(if (i % 3 == 0) scan(path).limit(5).collect().length.toLong else drain(path))))
      val counts = Await.result(all, 120.seconds)
      assert(counts == (1 to 8).map(i => if (i % 3 == 0) 5L else 20000L))
    } finally pool.shutdown()
    nothingLeft()
  }
}

object LifecycleSuite {
  // Static, because tasks of local mode run in this JVM and a latch cannot be sent to them.
  @volatile var reached = new CountDownLatch(1)
  @volatile var release = new CountDownLatch(1)

  def reset(): Unit = {
    reached = new CountDownLatch(1)
    release = new CountDownLatch(1)
  }

  val hold: Long => Long = { id =>
    if (id == 5000) {
      reached.countDown()
      release.await(60, TimeUnit.SECONDS)
    }
    id
  }
}

class FileLifecycleSuite extends LifecycleSuite(FileStore)
class S3aLifecycleSuite extends LifecycleSuite(S3aStore.main)
