// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.functions._

/** The optimizer knows as much of asyncscan's tables as of Spark's own, so joins are planned alike. */
abstract class JoinStatsSuite(store: Store) extends ParitySuite(store) {

  private def large: String = written("join-large", spark.range(0, 50000, 1, 2).selectExpr("id", "id % 100 as k", "rand(1) as r"))(
    _.option("parquet.enable.dictionary", "false")
  )

  private def small: String = written("join-small", spark.range(0, 100, 1, 1).selectExpr("id as k", "concat('n', id) as name"))(identity)

  /** The kinds of exchanges of the plan before it runs and adapts itself. */
  private def exchanges(frame: DataFrame): Seq[String] =
    withConf("spark.sql.adaptive.enabled" -> "false") {
      Scans.operators(frame.queryExecution.sparkPlan.clone()).map(_.nodeName).filter(_.contains("Join")).sorted
    }

  private def join(format: String): DataFrame =
    load(format, Seq(large)).join(load(format, Seq(small)), "k").where("name < 'n5'").groupBy("name").agg(count(lit(1)), sum("id"))

  test("sizes") {
    val path = large
    def size(format: String): BigInt = load(format, Seq(path)).queryExecution.optimizedPlan.stats.sizeInBytes
    val stock = size(SparkHarness.reference)
    val ours = size(SparkHarness.format)
    assert(ours <= stock * 2 && ours * 2 >= stock, s"$ours where Spark says $stock")
  }

  test("the small side is broadcast, as Spark does it") {
    // Between the sizes of the two files.
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "100000") {
      val (stock, ours) = (join(SparkHarness.reference), join(SparkHarness.format))
      assert(exchanges(stock) == Seq("BroadcastHashJoin"))
      assert(exchanges(ours) == exchanges(stock))
      assertSame(run(stock), run(ours), ordered = false)
    }
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "10") {
      val (stock, ours) = (join(SparkHarness.reference), join(SparkHarness.format))
      assert(exchanges(ours) == exchanges(stock))
      assertSame(run(stock), run(ours), ordered = false)
    }
  }

  test("with the cost-based optimizer") {
    withConf(
      "spark.sql.cbo.enabled" -> "true",
      "spark.sql.cbo.joinReorder.enabled" -> "true",
      "spark.sql.cbo.planStats.enabled" -> "true",
      "spark.sql.autoBroadcastJoinThreshold" -> "100000"
    ) {
      def three(format: String) = join(format).join(load(format, Seq(small)).withColumnRenamed("k", "k2"), "name").agg(count(lit(1)))
      val (stock, ours) = (three(SparkHarness.reference), three(SparkHarness.format))
      assert(exchanges(ours) == exchanges(stock))
      assertSame(run(stock), run(ours), ordered = false)
    }
  }

  Seq("true", "false").foreach { adaptive =>
    test(s"a self join reads once, adaptive $adaptive") {
      withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        def twice(format: String) = {
          val one = load(format, Seq(large)).where("id < 20000").groupBy("k").agg(max("id").as("top"))
          one.as("a").join(one.as("b"), expr("a.k = b.k and a.top = b.top")).select("a.k", "b.top")
        }
        val expected = run(twice(SparkHarness.reference))
        val actual = run(twice(SparkHarness.format))
        assertSame(expected, actual, ordered = false)
        def reused(done: Parity.Done) = Scans.operators(done.frame).count(_.isInstanceOf[ReusedExchangeExec])
        assert(reused(expected) > 0)
        assert(reused(actual) == reused(expected), s"\n${actual.frame.queryExecution.executedPlan}")
        def shuffles(done: Parity.Done) = Scans.operators(done.frame).count(_.isInstanceOf[ShuffleExchangeExec])
        assert(shuffles(actual) == shuffles(expected))
      }
    }
  }

  test("a broadcast and a subquery are shared") {
    val path = large
    def query(format: String) = {
      val names = load(format, Seq(small)).where("name > 'n7'")
      val fact = load(format, Seq(path))
      fact.join(broadcast(names), "k").union(fact.where("id < 100").join(broadcast(names), "k"))
    }
    val expected = run(query(SparkHarness.reference))
    val actual = run(query(SparkHarness.format))
    assertSame(expected, actual, ordered = false)
    def count(done: Parity.Done) = Scans.operators(done.frame).count(_.isInstanceOf[BroadcastExchangeExec])
    assert(count(actual) == count(expected))
  }

  test("two scans of one join run side by side") {
    val path = large
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      def query(format: String) = load(format, Seq(path)).as("a").join(load(format, Seq(path)).as("b"), expr("a.id = b.id + 1")).agg(count(lit(1)), sum("a.k"))
      assertSame(run(query(SparkHarness.reference)), run(query(SparkHarness.format)), ordered = false)
    }
  }
}

class FileJoinStatsSuite extends JoinStatsSuite(FileStore)
class S3aJoinStatsSuite extends JoinStatsSuite(S3aStore.main)
