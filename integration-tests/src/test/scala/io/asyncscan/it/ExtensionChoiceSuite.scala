// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger

/** Which scans the extension takes, and what becomes of the others: Spark's own, unchanged. */
abstract class ExtensionChoiceSuite(store: Store) extends ParitySuite(store) with ExtensionChecks {

  private def data: String = written("ext-choice", spark.range(0, 1000, 1, 2).selectExpr("id", "concat('t', id) as t"))(identity)

  private def taken(frame: DataFrame): Boolean = {
    assert(frame.collect().length == 1000)
    Scans.ofExtension(frame).nonEmpty
  }

  test("nothing, if it is switched off") {
    val path = data
    def read = spark.read.parquet(path)
    assert(!taken(read))
    withConf("spark.asyncscan.enabled" -> "true", "spark.asyncscan.extensionSchemes" -> "*") {
      assert(taken(read))
      spark.sql("SET spark.asyncscan.enabled=FALSE")
      assert(!taken(read))
      spark.sql("SET spark.asyncscan.enabled=true")
      assert(taken(read))
      val other = spark.newSession()
      other.conf.set("spark.asyncscan.enabled", "false")
      assert(Scans.ofExtension(other.read.parquet(path)).isEmpty)
      assert(taken(read), "each session has a switch of its own")
    }
  }

  test("by scheme: object stores are taken unasked, local files are not") {
    val path = data
    def read = spark.read.parquet(path)
    withConf("spark.asyncscan.enabled" -> "true") {
      assert(taken(read) == (store.name == "s3a"))
      withConf("spark.asyncscan.extensionSchemes" -> s"hdfs, ${store.name.toUpperCase}")(assert(taken(read)))
      withConf("spark.asyncscan.extensionSchemes" -> "hdfs,gs")(assert(!taken(read)))
      withConf("spark.asyncscan.extensionSchemes" -> "hdfs,*")(assert(taken(read)))
    }
  }

  test("settings that cannot be used leave the query to Spark") {
    val path = data
    Seq("readAheadDepth" -> "far", "enabled" -> "maybe", "extensionSchemes" -> "s3a:", "noSuchKey" -> "1").foreach { case (key, value) =>
      withExtension(withConf(s"spark.asyncscan.$key" -> value)(assert(!taken(spark.read.parquet(path)))))
    }
    withExtension(assert(taken(spark.read.parquet(path))))
  }

  test("settings hold for scans that are taken") {
    val path = data
    withExtension {
      withConf("spark.asyncscan.readAheadDepth" -> "0") {
        val done = run(spark.read.parquet(path))
        assertReadAhead(done.frame)
        assert(Scans.value(only(done.frame), "depthReached") == 0)
      }
      val asked = run(spark.read.option("spark.asyncscan.readAheadDepth", "0").parquet(path))
      assert(Scans.value(only(asked.frame), "depthReached") == 0)
    }
  }

  test("no streams") {
    val path = data
    withExtension {
      val stream = spark.readStream.schema("id bigint, t string").parquet(path)
      val query = stream.writeStream.format("memory").queryName(s"ext_stream_${store.name}").trigger(Trigger.AvailableNow()).start()
      try {
        query.processAllAvailable()
        assert(spark.table(s"ext_stream_${store.name}").count() == 1000)
        assert(!query.lastProgress.toString.contains("AsyncRead"))
      } finally query.stop()
    }
  }

  test("no files that may be encrypted") {
    val path = data
    withExtension {
      val frame = spark.read.option("parquet.crypto.factory.class", "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory").parquet(path)
      frame.queryExecution.executedPlan
      assert(Scans.ofExtension(frame).isEmpty)
    }
  }

  test("formats that are not known") {
    val path = data
    val target = store.fresh("ext-orc")
    spark.read.parquet(path).write.orc(target)
    withExtension(assert(!taken(spark.read.orc(target))))
  }

  test("errors are Spark's") {
    def both(query: => DataFrame): Unit = {
      val expected = problem(query)
      val actual = withExtension(problem(query))
      assert(actual.condition == expected.condition, s"\n${actual.trace}\nwhere Spark says\n${expected.trace}")
      assertSameCause(expected, actual)
      ()
    }
    val path = data
    both(spark.read.schema("id int, t date").parquet(path))
    both {
      val gone = data
      val frame = spark.read.parquet(gone)
      frame.queryExecution.executedPlan
      store.delete(store.files(gone)(1))
      frame
    }
    val broken = data
    val file = store.files(broken).head
    store.write(file, store.read(file).take(200))
    both(spark.read.schema("id bigint, t string").parquet(broken))
    store.write(file, "not Parquet at all".getBytes)
    both(spark.read.schema("id bigint, t string").parquet(broken))
  }

  test("files that may be skipped are skipped") {
    Seq("ignoreCorruptFiles", "ignoreMissingFiles").foreach { option =>
      def ids: Seq[Long] = {
        val path = data
        val frame = spark.read.schema("id bigint, t string").option(option, "true").parquet(path)
        frame.queryExecution.executedPlan
        val file = store.files(path).head
        if (option == "ignoreMissingFiles") store.delete(file) else store.write(file, "not Parquet at all".getBytes)
        frame.select("id").collect().map(_.getLong(0)).toSeq.sorted
      }
      val expected = ids
      assert(expected.nonEmpty && expected.size < 1000)
      assert(withExtension(ids) == expected)
    }
  }

  test("a file that is replaced while it is read is an error") {
    assume(store.name == "s3a")
    val path = written("ext-replaced", spark.range(0, 40000, 1, 1).selectExpr("id", "rand(2) as r"))(identity)
    val file = store.files(path).head
    val other = store.read(store.files(data).head)
    val requests = new AtomicInteger
    withExtension {
      val frame = spark.read.parquet(path)
      val sum = frame.agg(count(lit(1)), max("r"))
      // The first request is for the footer, the second for data that the footer speaks of.
      val problem = S3Server.withHook { key =>
        if (file.endsWith(key) && requests.incrementAndGet() == 2) store.write(file, other)
      }(Parity.Problem(intercept[Exception](sum.collect())))
      assert(problem.messages.contains(store.path(file).getName))
      assert(problem.chain.exists(_.getClass.getSimpleName == "FileChangedException"), problem.trace)
    }
  }
}

class FileExtensionChoiceSuite extends ExtensionChoiceSuite(FileStore)
class S3aExtensionChoiceSuite extends ExtensionChoiceSuite(S3aStore.main)
