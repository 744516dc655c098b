// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.ExtendedMode

/** What `EXPLAIN` says of each scan, if it is asked to: whether it reads ahead, and why not. */
class ExtensionExplainSuite extends ParitySuite(FileStore) with ExtensionChecks {
  private val provider = "spark.sql.extendedExplainProviders" -> "io.asyncscan.connector.AsyncScanExplain"
  private val heading = "== Extended Information (asyncscan) =="

  private def data(rows: Long): String = written("ext-explain", spark.range(0, rows, 1, 1).selectExpr("id", "id % 7 AS g"))(identity)

  /** The lines below the plan. */
  private def lines(explained: String): Seq[String] = {
    assert(explained.contains(heading), explained)
    explained.substring(explained.indexOf(heading) + heading.length).split('\n').toSeq.map(_.trim).filter(_.nonEmpty)
  }

  private def explained(frame: DataFrame): Seq[String] = withConf(provider)(lines(frame.queryExecution.explainString(ExtendedMode)))

  test("a scan that reads ahead") {
    val path = data(10)
    withExtension {
      val found = explained(spark.read.parquet(path))
      assert(found.size == 1 && found.head.startsWith("Scan parquet of file:") && found.head.endsWith(": reads ahead"), found)
    }
  }

  test("a scan that is left to Spark, with the reason, by SQL") {
    val path = data(10)
    def reason: Seq[String] = withConf(provider) {
      lines(spark.sql(s"EXPLAIN EXTENDED SELECT * FROM parquet.`$path`").collect().head.getString(0))
    }
    assert(reason.map(_.split(": ", 2).last) == Seq("left to Spark: the extension is switched off"))
    withConf("spark.asyncscan.enabled" -> "true") {
      assert(reason.map(_.split(": ", 2).last) == Seq("left to Spark: its paths have the schemes [file]"))
    }
    withExtension(withConf("spark.asyncscan.readAheadDepth" -> "far") {
      assert(reason.head.contains("left to Spark: ") && reason.head.contains("readAheadDepth"), reason)
    })
  }

  test("adaptive plans, before and after their stages are planned") {
    val path = data(1000)
    withExtension {
      val query = spark.read.parquet(path).groupBy("g").count()
      assert(explained(query).map(_.split(": ").last) == Seq("reads ahead once its stage is planned"))
      assert(query.collect().length == 7)
      assert(explained(query).map(_.split(": ").last) == Seq("reads ahead"))
    }
  }

  test("each scan of a plan, of subqueries and of version 2 too") {
    val path = data(1000)
    val target = store.fresh("ext-explain-orc")
    spark.read.parquet(path).write.orc(target)
    spark.read.parquet(path).createOrReplaceTempView("ext_explain")
    spark.read.orc(target).createOrReplaceTempView("ext_explain_orc")
    withExtension {
      val query = spark.sql("SELECT * FROM ext_explain WHERE id > (SELECT max(g) FROM ext_explain_orc)")
      query.collect()
      val found = explained(query)
      assert(found.size == 2 && found.head.startsWith("Scan parquet") && found.head.endsWith(": reads ahead"), found)
      assert(found(1).startsWith("Scan orc") && found(1).contains(": left to Spark: its format is org.apache.spark."), found)
      withConf("spark.sql.sources.useV1SourceList" -> "") {
        val version2 = spark.read.parquet(path)
        assert(Scans.ofAsyncscan(version2).nonEmpty)
        assert(explained(version2).map(_.split(": ").last) == Seq("reads ahead"))
        assert(explained(spark.read.orc(target)).head.contains("left to Spark: its class is"))
      }
    }
  }

  test("nothing to say, and nobody who asks") {
    assert(explained(spark.range(3).toDF()) == Seq("no file scan of Spark's"))
    assert(!spark.range(3).queryExecution.explainString(ExtendedMode).contains("asyncscan"))
  }
}
