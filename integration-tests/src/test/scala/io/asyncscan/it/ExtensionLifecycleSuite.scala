// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkEnv
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Millis, Seconds, Span}

/** However a scan of Spark's ends that reads ahead by the extension, nothing of it stays. */
abstract class ExtensionLifecycleSuite(store: Store) extends ParitySuite(store) with ExtensionChecks with Eventually with QueryKill {

  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds), Span(20, Millis))

  /** Four files of some fifteen row groups. */
  private def data: String =
    written("ext-life", spark.range(0, 20000, 1, 4).selectExpr("id", "rand(3) as r", "concat('t', rand(4)) as t"))(
      _.option("parquet.enable.dictionary", "false").option("parquet.block.size", "16384").option("parquet.page.size", "4096")
    )

  private def scan(path: String): DataFrame = spark.read.schema("id bigint, r double, t string").parquet(path)

  private def drain(path: String): Long = scan(path).agg(count(lit(1)), sum("r"), max("t")).head().getLong(0)

  private def nothingLeft(): Unit = {
    eventually {
      val busy = Thread.getAllStackTraces.asScala.filter { case (thread, stack) =>
        thread.getName.startsWith("asyncscan-fetch-") && stack.exists(_.getClassName.startsWith("io.asyncscan.reader.storage."))
      }
      assert(busy.isEmpty)
      assert(SparkEnv.get.memoryManager.executionMemoryUsed == 0)
    }
    ()
  }

  test("after success, and after stopping early") {
    val path = data
    withExtension {
      assert(drain(path) == 20000)
      nothingLeft()
      (1 to 10).foreach { n =>
        assert(scan(path).limit(n).collect().length == n)
        assert(scan(path).head().getLong(0) >= 0)
        assert(scan(path).take(3).length == 3)
      }
      nothingLeft()
      scan(path).toLocalIterator().next()
      assert(drain(path) == 20000)
      nothingLeft()
    }
  }

  test("a limit reads little") {
    assume(store.name == "s3a")
    val path = data
    withExtension {
      def requests(body: => Any): Int = S3Server.recording(body)._2.count(_.key.endsWith(".parquet"))
      val all = requests(assert(drain(path) == 20000))
      // A store that takes its time: else all may be there before a busy machine has decoded the first rows.
      val few = S3Server.withHook(_ => Thread.sleep(30))(requests(assert(scan(path).limit(5).collect().length == 5)))
      assert(few > 0 && few * 2 < all, s"$few requests for five rows, $all for all")
    }
  }

  test("after a failure above the scan") {
    val path = data
    val failing = udf((i: Long) => if (i % 5000 == 4321) throw new IllegalStateException("on purpose") else i)
    withExtension {
      val problem = Parity.Problem(intercept[Exception](scan(path).select(failing(col("id")), col("t")).collect()))
      assert(problem.messages.contains("on purpose"))
      nothingLeft()
      assert(drain(path) == 20000)
    }
  }

  test("after a kill between batches") {
    val path = data
    LifecycleSuite.reset()
    val holding = udf(LifecycleSuite.hold)
    withExtension {
      try
        cancelled(s"ext-kill-${store.name}", LifecycleSuite.reached) {
          val frame = scan(path).select(holding(col("id")), col("t"))
          frame.collect()
        }
      finally LifecycleSuite.release.countDown()
      nothingLeft()
      assert(drain(path) == 20000)
    }
  }

  test("a sort above the scan keeps its memory") {
    val path = data
    assertUnchanged(ordered = true)(scan(path).orderBy(desc("t"), col("id")))
    nothingLeft()
  }

  test("a hundred scans leave as many threads as one") {
    val path = data
    withExtension {
      (1 to 3).foreach(_ => drain(path))
      nothingLeft()
      def threads: Int = Thread.getAllStackTraces.asScala.keys.count(_.getName.startsWith("asyncscan-fetch-"))
      val before = threads
      (1 to 50).foreach(i => assert(scan(path).where(s"id >= ${i * 7}").select("id").count() == 20000 - i * 7))
      (1 to 50).foreach(i => assert(scan(path).limit(i).collect().length == i))
      nothingLeft()
      assert(before > 0 && threads <= 64, "the default for few cores")
    }
  }
}

class FileExtensionLifecycleSuite extends ExtensionLifecycleSuite(FileStore)
class S3aExtensionLifecycleSuite extends ExtensionLifecycleSuite(S3aStore.main)
