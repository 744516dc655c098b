// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.functions._

/** The ways to CSV, JSON and text, and what goes wrong on them. */
abstract class CsvEntrySuite(store: Store) extends CsvSuite(store) {
  private val header = Map("header" -> "true")

  private def rows(count: Int): String = "id,t\n" + (0 until count).map(i => s"$i,t$i\n").mkString

  test("the ending says what it is") {
    val csv = text("entry-csv", rows(20))
    val tsv = files("entry-tsv")("a.tsv" -> rows(20).replace(',', '\t').getBytes(UTF_8))
    val packed_ = files("entry-gz")("a.csv.gz" -> packed("gzip", rows(20).getBytes(UTF_8)))
    def auto(path: String, options: Map[String, String] = header) = run(spark.read.format(format).options(options).load(path))
    assertSame(run(load(reference, Seq(csv), header)), auto(csv), ordered = false)
    assertSame(run(load(reference, Seq(packed_), header)), auto(packed_), ordered = false)
    whenUnderTest {
      assertSame(run(load(reference, Seq(tsv), header + ("sep" -> "\t"))), auto(tsv), ordered = false)
      assertSame(run(load(reference, Seq(tsv), header + ("sep" -> ","))), auto(tsv, header + ("sep" -> ",")), ordered = false)
      // Named, it is Spark's source and nothing else.
      assertSame(run(load(reference, Seq(tsv), header)), run(load(format, Seq(tsv), header)), ordered = false)
      val typed = spark.read.format(format).schema("id int, t string").options(header).load(csv)
      assertSame(run(load(reference, Seq(csv), header, ddl("id int, t string"))), run(typed), ordered = false)
      val array = Parity.Problem(intercept[Exception](spark.read.format(format).schema("id array<int>").load(csv).collect()))
      assert(array.condition.exists(_.contains("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")), array.trace)
      val mixed = files("entry-mixed")("a.csv" -> rows(1).getBytes(UTF_8), "b.tsv" -> rows(1).getBytes(UTF_8))
      assert(Parity.Problem(intercept[Exception](auto(mixed))).messages.contains("fileFormat"))
    }
  }

  test("a path in SQL") {
    val path = text("entry-sql", rows(30))
    assertSqlParity(s"select * from %s.`$path`")
    assertSqlParity(s"select _c1, count(*) from %s.`$path` where _c0 > '2' group by _c1")
  }

  test("a view, a join with itself, a limit") {
    val path = text("entry-view", rows(500))
    assertParity(Seq(path), header, ddl("id int, t string"))(frame => frame.as("a").join(frame.as("b"), "id").agg(count(lit(1)), max("a.t")))
    assert(assertParity(Seq(path), header, ordered = true)(_.limit(3)).rows.size == 3)
    assertParity(Seq(path), header, ddl("id int, t string"))(_.groupBy("t").agg(sum("id")))
  }

  test("dynamic partition pruning") {
    val path = files("entry-dpp")((0 until 8).map(i => s"p_k=$i/a.csv" -> rows(10 + i).getBytes(UTF_8)): _*)
    val keys = spark.range(2).selectExpr("cast(id * 3 as int) as p_k", "id as n").where("n < 2")
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "10m") {
      assertParity(Seq(path), header)(_.join(broadcast(keys), "p_k").agg(count(lit(1))))
    }
  }

  test("files that are gone or broken") {
    val schema = ddl("id int, t string")
    val good = packed("gzip", rows(3000).getBytes(UTF_8))
    Seq("cut" -> good.take(2000), "plain" -> rows(10).getBytes(UTF_8)).foreach { case (label, bytes) =>
      val broken = files(s"entry-$label")("a.csv.gz" -> good, "b.csv.gz" -> bytes)
      assertSameError(Seq(broken), schema = schema)(identity)
      assertParity(Seq(broken), Map("ignoreCorruptFiles" -> "true"), schema)(identity)
    }
    assertSameError(Seq(store.fresh("entry-none")), schema = schema)(identity)
    Seq(reference, format).foreach { each =>
      val path = files("entry-gone")("a.csv" -> rows(5).getBytes(UTF_8), "b.csv" -> rows(6).getBytes(UTF_8))
      val frame = load(each, Seq(path), Map("ignoreMissingFiles" -> "true"), schema)
      val strict = load(each, Seq(path), schema = schema)
      assert(frame.queryExecution.executedPlan != null && strict.queryExecution.executedPlan != null)
      store.delete(store.files(path).head)
      assert(frame.collect().length == 7)
      assert(problem(strict).condition.contains("FAILED_READ_FILE.FILE_NOT_EXIST"))
    }
  }

  test("the plan names the format") {
    assume(SparkHarness.underTest)
    val plan = load(format, Seq(text("entry-plan", rows(3))), header).queryExecution.explainString(org.apache.spark.sql.execution.FormattedMode)
    assert(plan.contains("Format: csv"))
  }
}

class FileCsvEntrySuite extends CsvEntrySuite(FileStore)
class S3aCsvEntrySuite extends CsvEntrySuite(S3aStore.main)

/** JSON: a document a line, or a file. */
abstract class JsonParitySuite(store: Store) extends CsvSuite(store) {
  override def reference: String = "json"

  private def documents(count: Int): String =
    (0 until count).map(i => s"""{"id": $i, "n": {"a": "x$i", "b": [$i, ${i + 1}]}, "s": "${"é" * (i % 9)}"}""").mkString("\n")

  test("lines") {
    val path = files("json-lines")("a.json" -> documents(300).getBytes(UTF_8), "b.json" -> (documents(20) + "\n{bad\n").getBytes(UTF_8))
    assertParity(Seq(path))(identity)
    assertParity(Seq(path))(_.selectExpr("n.a", "id"))
    assertParity(Seq(path))(_.where("id > 290 and n.b[0] = 295"))
    assertParity(Seq(path), schema = ddl("id long, n struct<a: string>, _corrupt_record string"))(identity)
    Seq("DROPMALFORMED", "FAILFAST").foreach(mode => assertSameAnswer(Seq(path), Map("mode" -> mode), ddl("id long, s string"))(identity))
    Seq(17L, 900L, 5000L).foreach(size => cutBy(size)(assertParity(Seq(path), schema = ddl("id long, s string"))(identity)))
  }

  test("files") {
    val path = files("json-files")("a.json" -> s"[${documents(50).replace("\n", ",")}]".getBytes(UTF_8), "b.json" -> "{\n\"id\": 7}".getBytes(UTF_8))
    assertParity(Seq(path), Map("multiLine" -> "true"))(identity)
    assertParity(Seq(path), Map("multiLine" -> "true"), ddl("id long"), Map("partSize" -> "4096"))(identity)
    val gz = files("json-gz")("a.json.gz" -> packed("gzip", documents(400).getBytes(UTF_8)))
    assertParity(Seq(gz))(_.agg(count(lit(1)), sum("id")))
  }
}

class FileJsonParitySuite extends JsonParitySuite(FileStore)
class S3aJsonParitySuite extends JsonParitySuite(S3aStore.main)

/** Text: a row a line, or a file. */
abstract class TextParitySuite(store: Store) extends CsvSuite(store) {
  override def reference: String = "text"

  test("lines and files") {
    val path = files("text")("p_k=1/a.txt" -> "one\r\ntwo\n\nthree".getBytes(UTF_8), "p_k=2/b.txt" -> Array.emptyByteArray)
    assertParity(Seq(path))(identity)
    assertParity(Seq(path))(_.select("p_k"))
    assertParity(Seq(path), Map("wholetext" -> "true"))(identity)
    assertParity(Seq(path), Map("lineSep" -> "t"))(identity)
    (1 to 9).foreach(size => cutBy(size.toLong)(assertParity(Seq(path))(_.select("value"))))
  }
}

class FileTextParitySuite extends TextParitySuite(FileStore)
class S3aTextParitySuite extends TextParitySuite(S3aStore.main)
