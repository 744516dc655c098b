// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.functions._

/** The ways into the format, and what it says of itself. */
abstract class SqlEntrySuite(store: Store) extends ParitySuite(store) {

  private def data: String = written("sql", spark.range(0, 200, 1, 2).selectExpr("id", "concat('n', id) as name", "cast(id % 3 as int) as p_k"))(
    _.partitionBy("p_k")
  )

  private def asyncscan(path: String, options: (String, String)*) =
    load(SparkHarness.format, Seq(path), options.toMap)

  test("a temporary view") {
    val path = data
    val query = "select p_k, count(*), max(name) from %v where id > 20 group by p_k"
    try {
      spark.sql(s"create temporary view it_view using ${SparkHarness.format} options (path '$path')")
      spark.sql(s"create temporary view it_stock using ${SparkHarness.reference} options (path '$path')")
      Seq("select * from %v", query).foreach { text =>
        val want = run(spark.sql(text.replace("%v", "it_stock")))
        assertSame(want, run(spark.sql(text.replace("%v", "it_view"))), ordered = false)
      }
    } finally Seq("it_view", "it_stock").foreach(spark.catalog.dropTempView)
  }

  test("a temporary view with a schema") {
    val path = data
    try {
      spark.sql(s"create temporary view it_typed (name string, id bigint) using ${SparkHarness.format} options (path '$path', mergeSchema 'false')")
      val stock = load(SparkHarness.reference, Seq(path), schema = Some(org.apache.spark.sql.types.StructType.fromDDL("name string, id bigint")))
      assertSame(run(stock.where("id < 9")), run(spark.sql("select * from it_typed where id < 9")), ordered = false)
    } finally spark.catalog.dropTempView("it_typed")
  }

  test("a path in SQL") {
    val path = data
    assertSqlParity(s"select * from %s.`$path`")
    assertSqlParity(s"select name from %s.`$path` where p_k = 1 and id < 50")
    assertSqlParity(s"select a.id, b.name from %s.`$path` a join %s.`$path` b on a.id = b.id + 1 where a.p_k = 0")
  }

  test("the path option, load without paths, and several paths") {
    val path = data
    val want = run(load(SparkHarness.reference, Seq(path)))
    assertSame(want, run(spark.read.format(SparkHarness.format).option("path", path).load()), ordered = false)
    assertSame(want, run(spark.read.format(SparkHarness.format).option("PATH", path).load()), ordered = false)
    assertSame(want, run(spark.read.format(SparkHarness.format).load(path)), ordered = false)
    val parts = Seq(s"$path/p_k=0", s"$path/p_k=2")
    assertSame(run(load(SparkHarness.reference, parts)), run(spark.read.format(SparkHarness.format).load(parts: _*)), ordered = false)
  }

  test("the file format follows from the ending, and is named when it does not") {
    assume(SparkHarness.underTest)
    val path = data
    assertSame(run(load(SparkHarness.reference, Seq(path))), run(spark.read.format("asyncscan").load(path)), ordered = false)
    val other = store.fresh("endings")
    store.write(s"$other/data.bin", store.read(store.files(path).head))
    val problem = Parity.Problem(intercept[Exception](spark.read.format("asyncscan").load(other).collect()))
    assert(problem.messages.contains("fileFormat"), problem.trace)
    assert(spark.read.format("asyncscan").option("fileFormat", "PARQUET").load(other).count() > 0)
    val unknown = Parity.Problem(intercept[Exception](asyncscan(path, "fileFormat" -> "orc").collect()))
    Seq("fileFormat", "orc", "parquet").foreach(word => assert(unknown.messages.contains(word), unknown.trace))
  }

  test("no path, and a path that is not there") {
    // Spark's own words are about a schema that cannot be inferred; asyncscan's may be about the path.
    Seq(SparkHarness.reference, SparkHarness.format).foreach { format =>
      val none = Parity.Problem(intercept[Exception](load(format, Nil).collect()))
      assert(none.condition.contains("UNABLE_TO_INFER_SCHEMA") || none.messages.contains("path"), none.trace)
    }
    assertSameError(Seq(store.fresh("missing")), parameters = Set("path"))(identity)
  }

  test("a write is refused and touches nothing") {
    assume(SparkHarness.underTest)
    val path = data
    val before = store.files(path).map(file => file -> store.length(file))
    Seq("overwrite", "append", "errorifexists", "ignore").foreach { mode =>
      withClue(s"$mode: ") {
        val problem = Parity.Problem(
          intercept[Exception](spark.range(3).toDF("id").write.format("asyncscan").mode(mode).option("path", path).save())
        )
        assert(problem.messages.contains("asyncscan"), problem.trace)
        assert(problem.messages.toLowerCase.matches("(?s).*(read[- ]only|only reads|cannot write|does not write|not support).*"), problem.messages)
      }
      assert(store.files(path).map(file => file -> store.length(file)) == before, mode)
    }
    val target = store.fresh("never-written")
    intercept[Exception](spark.range(3).toDF("id").write.format("asyncscan").save(target))
    assert(!store.fileSystem(target).exists(store.path(target)))
  }

  private def explained(frame: org.apache.spark.sql.DataFrame): String = {
    val plans = Seq("simple", "extended", "formatted").map { mode =>
      frame.queryExecution.explainString(org.apache.spark.sql.execution.ExplainMode.fromString(mode))
    }
    plans.mkString("\n")
  }

  test("EXPLAIN says what is read") {
    assume(SparkHarness.underTest)
    val path = data
    val frame = asyncscan(path, "readAheadDepth" -> "3").where("id > 17 and p_k = 2").select("name")
    Seq("simple", "formatted").foreach { mode =>
      val plan = frame.queryExecution.explainString(org.apache.spark.sql.execution.ExplainMode.fromString(mode))
      withClue(s"$mode: $plan\n") {
        assert(plan.toLowerCase.contains("asyncscan"))
        assert(plan.toLowerCase.contains("parquet"))
        assert(plan.contains(store.path(path).getName), "location")
        assert("(?i)PushedFilters.{0,80}id".r.findFirstIn(plan).isDefined, "pushed filters")
        assert("(?i)PartitionFilters.{0,80}p_k".r.findFirstIn(plan).isDefined, "partition filters")
        assert("(?i)ReadSchema.{0,80}name".r.findFirstIn(plan).isDefined, "read schema")
        assert("(?i)depth\\W{0,3}\\s*3".r.findFirstIn(plan).isDefined, "depth")
      }
    }
  }

  test("nothing secret in plans, descriptions and errors") {
    assume(SparkHarness.underTest)
    val secret = "hush-hush-hush"
    val secretKey = "fs.s3a.encryption.key"
    val frame = asyncscan(data, secretKey -> secret, "fs.s3a.session.token" -> secret, "password" -> secret)
    val done = run(frame.where("id = 3"))
    Seq(
      explained(done.frame),
      done.frame.queryExecution.toString,
      done.frame.queryExecution.executedPlan.toJSON,
      frame.toString
    ).foreach { text =>
      assert(!text.contains(secret))
      assert(!text.contains(S3Server.secretKey))
    }
    val problem = Parity.Problem(intercept[Exception](asyncscan(store.fresh("gone"), secretKey -> secret).collect()))
    assert(!problem.trace.contains(secret) && !problem.trace.contains(S3Server.secretKey))
  }

  test("an unknown key of the namespace names the nearest known one") {
    assume(SparkHarness.underTest)
    val path = data
    withConf("spark.asyncscan.readAheadDeph" -> "2") {
      val problem = Parity.Problem(intercept[Exception](asyncscan(path).collect()))
      assert(problem.messages.contains("readAheadDeph") && problem.messages.contains("spark.asyncscan.readAheadDepth"), problem.trace)
    }
    assert(asyncscan(path).count() == 200)
  }

  Seq(
    "readAheadDepth" -> "-2",
    "readAheadDepth" -> "many",
    "readAheadMaxBytes" -> "-1",
    "partSize" -> "0",
    "maxOverRead" -> "-0.5",
    "maxOverRead" -> "x",
    "maxAttempts" -> "0",
    "progressTimeout" -> "soon",
    "footerPlanningMaxFiles" -> "-1",
    "maxPartitionBytes" -> "0"
  ).foreach { case (key, value) =>
    test(s"$key = $value is out of range") {
      assume(SparkHarness.underTest)
      val path = data
      def check(problem: Parity.Problem): Unit = {
        assert(problem.messages.contains(key) && problem.messages.contains(value), problem.trace)
        ()
      }
      check(Parity.Problem(intercept[Exception](asyncscan(path, key -> value).collect())))
      withConf(s"spark.asyncscan.$key" -> value)(check(Parity.Problem(intercept[Exception](asyncscan(path).collect()))))
      // A read option wins over the session.
      if (key == "readAheadDepth")
        withConf(s"spark.asyncscan.$key" -> value)(assert(asyncscan(path, key -> "1").count() == 200))
    }
  }

  test("every metric is there under its name") {
    assume(SparkHarness.underTest)
    val done = run(asyncscan(data))
    val scan = Scans.ofAsyncscan(done.frame).head
    MetricNames.all.foreach { case (name, description) =>
      assert(scan.metrics.contains(name), name)
      assert(scan.metrics(name).name.contains(description), name)
    }
    assert(Scans.value(scan, "bytesFetched") > 0)
    assert(Scans.value(scan, "planningTime") >= 0)
  }

  test("cached, unioned and shuffled frames") {
    val path = data
    val cached = asyncscan(path).where("id < 100").cache()
    try assertSame(run(load(SparkHarness.reference, Seq(path)).where("id < 100")), run(cached.where("true")), ordered = false)
    finally { cached.unpersist(blocking = true); () }
    assertParity(Seq(path))(frame => frame.where("id < 10").unionByName(frame.where("id > 190")))
    assertParity(Seq(path))(_.repartition(3, col("id")).sortWithinPartitions("id").groupBy("p_k").agg(sum("id")))
  }
}

class FileSqlEntrySuite extends SqlEntrySuite(FileStore)
class S3aSqlEntrySuite extends SqlEntrySuite(S3aStore.main)
