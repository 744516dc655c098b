// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.functions._

/** Reads by path, as jobs have them that nobody wants to edit: same rows, same plans, other bytes' way. */
abstract class ExtensionParitySuite(store: Store) extends ParitySuite(store) with ExtensionChecks {

  private def orders: String = written(
    "ext-orders",
    spark.range(0, 4000, 1, 4).selectExpr(
      "id",
      "rand(7) as r",
      "concat('t', id) as t",
      "named_struct('a', id % 7, 'b', array(id, null, 3), 'c', concat('c', id)) as n",
      "cast(id % 4 as int) as p_k"
    )
  )(_.partitionBy("p_k").option("parquet.enable.dictionary", "false").option("parquet.block.size", "16384").option("parquet.page.size", "4096"))

  /** Twelve files of one row group each, all of them in one task. */
  private def files: String =
    written("ext-files", spark.range(0, 120000, 1, 12).selectExpr("id", "rand(5) as r", "rand(6) as s"))(identity)

  test("rows, in order") {
    eachReader { _ =>
      val path = orders
      assertUnchanged(ordered = true)(spark.read.parquet(path))
      assertUnchanged(ordered = true)(spark.read.parquet(path).select("t", "n.c", "p_k"))
      assertUnchanged(ordered = true)(spark.read.parquet(path).where("id > 1000 and n.a = 3 and t like 't%7'"))
      assertUnchanged()(spark.read.parquet(path).groupBy("p_k").agg(count(lit(1)), sum("r"), max("n.c")))
      assertUnchanged(fetches = false)(spark.read.parquet(path).where("id < 0"))
      assertUnchanged()(spark.read.parquet(path).agg(count(lit(1))))
      assertUnchanged()(spark.read.parquet(path).select("p_k").distinct())
    }
  }

  test("read-ahead goes on across the files of a partition") {
    val path = files
    withConf("spark.sql.files.openCostInBytes" -> "0", "spark.sql.files.minPartitionNum" -> "1") {
      val done = assertUnchanged(ordered = true)(spark.read.parquet(path))
      assert(done.frame.rdd.getNumPartitions == 1)
      val node = only(done.frame)
      assert(Scans.value(node, "depthReached") >= 2, "files of one job each: what is ahead is of other files")
      assert(done.rows.size == 120000)
    }
  }

  test("requests: one footer a file, no look-ups") {
    assume(store.name == "s3a")
    val path = files
    val reader = spark.read.schema("id bigint, r double, s double")
    withExtension {
      val (done, log) = S3Server.recording(run(reader.parquet(path)))
      assertReadAhead(done.frame)
      val ours = log.filter(_.key.endsWith(".parquet"))
      assert(ours.nonEmpty && ours.forall(_.verb == "GET"), s"${ours.filterNot(_.verb == "GET").take(3)}")
      val node = only(done.frame)
      assert(Scans.value(node, "requests") == ours.size, "asyncscan sent every one of them")
      assert(ours.groupBy(_.key).values.forall(_.size <= 3))
    }
  }

  test("small files") {
    val path = written("ext-small", spark.range(0, 300, 1, 60).selectExpr("id", "concat('s', id) as s"))(identity)
    val done = assertUnchanged(ordered = true)(spark.read.parquet(path))
    val node = only(done.frame)
    assert(Scans.value(node, "requests") == store.files(path).size, "each comes whole with its footer")
  }

  test("metadata, row index, file names") {
    eachReader { _ =>
      val path = orders
      assertUnchanged(ordered = true)(spark.read.parquet(path).select("id", "_metadata"))
      assertUnchanged(ordered = true)(
        spark.read.parquet(path).where("id % 3 = 1").select(col("_metadata.row_index"), col("_metadata.file_name"), col("id"))
      )
      assertUnchanged(ordered = true)(
        spark.read.parquet(path).select(input_file_name(), expr("input_file_block_start()"), expr("input_file_block_length()"), col("id"))
      )
    }
    val path = orders
    assertUnchanged()(spark.read.parquet(path).where(col("_metadata.file_size") > 10).groupBy(col("_metadata.file_path")).count())
  }

  test("splits of one file") {
    val path = orders
    withConf("spark.sql.files.maxPartitionBytes" -> "10000", "spark.sql.files.openCostInBytes" -> "0") {
      val done = assertUnchanged(ordered = true)(spark.read.parquet(path))
      assert(done.frame.rdd.getNumPartitions > 4)
      assertUnchanged(ordered = true)(spark.read.parquet(path).select("id", "_metadata.row_index", "_metadata.file_block_start"))
    }
  }

  test("several scans in a task") {
    val path = orders
    def read = spark.read.parquet(path)
    def shared = read.select("id", "t")
    assertUnchanged()(shared.union(shared.where("id % 2 = 0")).union(read.select("id", "n.c")).coalesce(1))
    assertUnchanged()(shared.coalesce(1).crossJoin(read.where("id < 3").select(col("id").as("other"))))
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      assertUnchanged()(shared.join(read.select("id", "r"), "id"))
      // Both sides in one task, pulled in turns.
      withConf("spark.sql.shuffle.partitions" -> "1")(assertUnchanged()(shared.join(shared.withColumnRenamed("t", "u"), "id")))
    }
    Seq("true", "false").foreach { adaptive =>
      withConf("spark.sql.adaptive.enabled" -> adaptive)(assertUnchanged()(shared.join(broadcast(read.where("p_k = 1").select("id", "r")), "id")))
    }
  }

  test("one scan computed again and again in a task") {
    val path = orders
    def ids = spark.read.parquet(path).select("id").where("id < 40")
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1", "spark.sql.join.preferSortMergeJoin" -> "false") {
      assertUnchanged()(ids.crossJoin(ids.withColumnRenamed("id", "other")))
    }
    val expected = ids.rdd.cartesian(ids.rdd).map { case (a, b) => a.getLong(0) * 100 + b.getLong(0) }.collect().sorted.toSeq
    withExtension {
      val frame = ids
      val actual = frame.rdd.cartesian(frame.rdd).map { case (a, b) => a.getLong(0) * 100 + b.getLong(0) }.collect().sorted.toSeq
      assert(actual == expected)
      assert(frame.rdd.zip(frame.rdd).map { case (a, b) => a == b }.collect().forall(identity))
      assert(frame.rdd.coalesce(1).collect().toSeq.toSet == ids.collect().toSet)
      assertReadAhead(frame)
    }
  }

  test("cached plans") {
    val path = orders
    def query = spark.read.parquet(path).where("id % 2 = 0")
    val expected = run(query)
    withExtension {
      val cached = query.cache()
      try {
        assertSame(expected, run(cached), ordered = false)
        assert(Scans.ofExtension(cached).nonEmpty)
        assertSame(expected, run(query), ordered = false)
      } finally cached.unpersist(blocking = true)
    }
    // A plan that was cached with the extension serves a session without it, and the other way round.
    val before = query.cache()
    try {
      before.count()
      assert(withExtension(run(query)).canonical(ordered = false) == expected.canonical(ordered = false))
    } finally before.unpersist(blocking = true)
  }

  test("subqueries and exchanges are reused") {
    val path = orders
    spark.read.parquet(path).createOrReplaceTempView("ext_orders")
    Seq("true", "false").foreach { adaptive =>
      withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        assertUnchanged()(spark.sql("SELECT * FROM ext_orders WHERE id > (SELECT avg(id) FROM ext_orders)"))
        assertUnchanged()(
          spark.sql("SELECT id FROM ext_orders WHERE id > (SELECT avg(id) FROM ext_orders) OR r > (SELECT avg(id) FROM ext_orders)")
        )
        assertUnchanged()(
          spark.sql(
            """WITH g AS (SELECT p_k, count(1) AS c, sum(id) AS s FROM ext_orders GROUP BY p_k)
              |SELECT a.p_k, b.c, a.s FROM g a JOIN g b ON a.p_k = b.p_k""".stripMargin
          )
        )
        assertUnchanged()(spark.sql("SELECT p_k, id FROM ext_orders WHERE p_k = (SELECT max(p_k) FROM ext_orders)"))
        assertUnchanged()(spark.sql("SELECT id FROM ext_orders WHERE id IN (SELECT n.a FROM ext_orders)"))
      }
    }
  }

  test("typed and other ways to the rows") {
    val path = orders
    withExtension {
      val frame = spark.read.parquet(path).select("id")
      assert(frame.as(Encoders.scalaLong).map(_ + 1)(Encoders.scalaLong).collect().toSet == (1L to 4000L).toSet)
      assert(frame.rdd.map(_.getLong(0)).sum() == 3999L * 2000)
      var seen = 0
      frame.toLocalIterator().forEachRemaining(_ => seen += 1)
      assert(seen == 4000)
      val files = spark.read.parquet(path).inputFiles.toSet
      assert(files.size == store.files(path).size)
      assert(frame.inputFiles.toSet == files)
      assert(frame.observe("o", count(lit(1)).as("c")).collect().length == 4000)
    }
  }

  test("every option of Spark's reader") {
    val path = orders
    assertUnchanged()(spark.read.option("mergeSchema", "true").parquet(path))
    assertUnchanged()(spark.read.option("recursiveFileLookup", "true").parquet(path))
    assertUnchanged()(spark.read.option("basePath", path).parquet(s"$path/p_k=1", s"$path/p_k=3"))
    assertUnchanged()(spark.read.schema("id bigint, later string, p_k string").parquet(path))
    // A file format's option means nothing to asyncscan, whoever it was meant for.
    assertUnchanged()(spark.read.option("fileFormat", "orc").option("partSize", "none").parquet(path))
    withConf("spark.sql.parquet.filterPushdown" -> "false")(assertUnchanged()(spark.read.parquet(path).where("id = 77")))
    withConf("spark.sql.codegen.wholeStage" -> "false")(assertUnchanged()(spark.read.parquet(path)))
  }

  test("metrics of the node") {
    val path = orders
    withExtension {
      val done = run(spark.read.parquet(path).where("id >= 0"))
      val node = only(done.frame)
      val metrics = (node: SparkPlan).metrics
      MetricNames.all.foreach { case (name, label) => assert(metrics(name).name.contains(label), name) }
      assert(metrics.size == MetricNames.all.size)
      assert(Scans.value(node, "peakBytes") > 0)
      assert(node.treeString.startsWith("AsyncRead\n+- FileScan parquet"))
    }
  }

  test("bytes read are the bytes fetched") {
    val path = files
    withExtension {
      val frame = spark.read.schema("id bigint, r double, s double").parquet(path)
      val seen = TaskInput.of(frame.collect())
      val node = only(frame)
      assert(seen.bytes == Scans.value(node, "bytesFetched"))
      assert(seen.records == 120000)
      val limited = frame.limit(5)
      val few = TaskInput.of(limited.collect())
      // What was on its way when the task ended arrives later or not at all.
      assert(few.bytes > 0 && few.bytes <= Scans.ofExtension(limited).map(Scans.value(_, "bytesFetched")).sum)
    }
  }

  test("direct SQL reads ahead across files, too") {
    withConf("spark.sql.files.openCostInBytes" -> "0", "spark.sql.files.minPartitionNum" -> "1") {
      val done = withExtension(run(spark.sql(s"SELECT * FROM asyncscan.`$files`")))
      assertReadAhead(done.frame)
      assert(done.rows.size == 120000)
      val node = only(done.frame)
      assert(Scans.value(node, "depthReached") >= 2)
    }
    assertUnchanged()(spark.sql(s"SELECT * FROM parquet.`$orders` WHERE p_k = 2"))
  }
}

class FileExtensionParitySuite extends ExtensionParitySuite(FileStore)
class S3aExtensionParitySuite extends ExtensionParitySuite(S3aStore.main)
