// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.functions._

/** A query that wants few rows reads few row groups. */
abstract class LimitSuite(store: Store) extends ParitySuite(store) {

  /** One file of some forty row groups. */
  private def single: String = written("limit", spark.range(0, 40000, 1, 1).selectExpr("id", "rand(5) as r", "concat('text-', rand(6)) as t"))(
    _.option("parquet.enable.dictionary", "false")
      .option("parquet.block.size", "32768")
      .option("parquet.page.size", "8192")
      .option("compression", "uncompressed")
  )

  private def rowGroups(path: String): Int = ParquetFiles.footer(store.read(store.files(path).head)).getRow_groupsSize

  private def fewBytes(done: Parity.Done, path: String): Unit = whenUnderTest {
    val size = store.length(store.files(path).head)
    assert(rowGroups(path) >= 20)
    assert(done.metric("bytesFetched") * 4 < size, s"${done.metric("bytesFetched")} of $size")
  }

  test("limit") {
    val path = single
    Seq(1, 10, 500).foreach { n =>
      val done = assertParity(Seq(path), ordered = true)(_.limit(n))
      assert(done.rows.size == n)
      fewBytes(done, path)
    }
    assertParity(Seq(path))(_.limit(0))
    assert(assertParity(Seq(path))(_.limit(50000)).rows.size == 40000)
  }

  test("show and take") {
    val path = single
    val frame = load(SparkHarness.format, Seq(path))
    assert(frame.take(20).map(_.getLong(0)).toSeq == (0L until 20L))
    val out = new java.io.ByteArrayOutputStream
    Console.withOut(out)(frame.show(5))
    assert(out.toString.contains("only showing top 5 rows"))
    fewBytes(run(frame.limit(21)), path)
  }

  test("a limit under a filter, above a projection, with an offset, in an aggregate") {
    val path = single
    assertParity(Seq(path), ordered = true)(_.where("id >= 20000").limit(7))
    assertParity(Seq(path), ordered = true)(_.select(expr("id * 2")).limit(7))
    assertParity(Seq(path), ordered = true)(_.offset(3).limit(5))
    assertParity(Seq(path))(_.limit(1000).agg(count(lit(1)), sum("id")))
    assertParity(Seq(path), ordered = true)(_.orderBy(desc("id")).limit(3))
    assertParity(Seq(path), ordered = true)(_.where("r > 0.99").limit(10).select("id"))
  }

  test("a limit over several files") {
    val path = written("limit-many", spark.range(0, 40000, 1, 8).selectExpr("id", "rand(5) as r"))(identity)
    val done = run(load(SparkHarness.format, Seq(path)).limit(5))
    assert(done.rows.size == 5)
    assert(assertParity(Seq(path))(_.limit(30000).agg(count(lit(1)))).rows.head.getLong(0) == 30000)
  }

  test("reading stops with whoever reads") {
    val path = single
    val iterator = load(SparkHarness.format, Seq(path)).toLocalIterator()
    assert((1 to 10).map(_ => iterator.next().getLong(0)) == (0L until 10L))
    assert(load(SparkHarness.format, Seq(path)).where("id = 39999").count() == 1)
  }
}

class FileLimitSuite extends LimitSuite(FileStore)
class S3aLimitSuite extends LimitSuite(S3aStore.main)
