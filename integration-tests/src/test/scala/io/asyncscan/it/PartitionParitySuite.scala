// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.{Files, Path}

import org.apache.spark.sql.catalyst.expressions.DynamicPruningExpression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Partitioned directories, and every way to say which files are meant. */
abstract class PartitionParitySuite(store: Store) extends ParitySuite(store) {

  private def sales: String = written(
    "sales",
    spark.range(0, 400, 1, 1).selectExpr(
      "id",
      "id * 2 as amount",
      "cast(id % 3 as int) as p_region",
      "date_add(date'2024-01-31', cast(id % 2 as int)) as p_day",
      "if(id % 5 = 0, null, concat('c', id % 5 % 2 + 1)) as p_code"
    )
  )(_.partitionBy("p_region", "p_day", "p_code"))

  test("inferred partition columns") {
    val path = sales
    eachReader { _ =>
      assertParity(Seq(path))(identity)
      assertParity(Seq(path))(_.select("p_day", "id", "p_region"))
    }
    withConf("spark.sql.sources.partitionColumnTypeInference.enabled" -> "false")(assertParity(Seq(path))(identity))
  }

  test("given partition columns") {
    val path = sales
    val schema = StructType.fromDDL("p_region string, id bigint, p_day string, amount bigint, p_code string")
    assertParity(Seq(path), schema = Some(schema))(identity)
    assertParity(Seq(path), schema = Some(schema))(_.where("p_region = '2' and p_day > '2024-01-31'"))
    val wide = StructType.fromDDL("id bigint, p_region decimal(5, 1), p_day timestamp")
    assertParity(Seq(path), schema = Some(wide))(_.where("p_region < 1.5"))
  }

  test("only partition columns") {
    val path = sales
    eachReader { _ =>
      assertParity(Seq(path))(_.select("p_region", "p_code"))
      assertParity(Seq(path))(_.select("p_day").distinct())
      assertParity(Seq(path))(_.groupBy("p_code").count())
    }
  }

  test("filters on partition columns") {
    val path = sales
    Seq(
      "p_region = 2",
      "p_region in (0, 3) and p_day >= date'2024-02-01'",
      "p_code is null",
      "p_code = 'c1' or p_region = 0",
      "p_region + 1 = 3 and month(p_day) = 2",
      "upper(p_code) like 'C2%'",
      "cast(p_region as string) || p_code = '1c2'",
      "p_region = 7",
      "p_region = 1 and id > 350",
      "p_region * 100 < id",
      "p_region = (select 2)",
      "not (p_region <=> 2 or p_code <=> null)",
      "hash(p_day) % 2 = 0"
    ).foreach { predicate =>
      withClue(s"$predicate: ") {
        val done = assertParity(Seq(path))(_.where(predicate))
        // What Spark's scan does not open is not fetched either.
        val files = Parity.sparkFilesRead(run(load(SparkHarness.reference, Seq(path)).where(predicate)))
        whenUnderTest(assert(done.metric("requests") <= 2 * files))
      }
    }
    val upper = udf((s: String) => if (s == null) "none" else s.toUpperCase)
    assertParity(Seq(path))(_.where(upper(col("p_code")) === "C1"))
  }

  private val awkward = Seq("a b", "a=b", "a/b", "a%20b", "#?&", "{x}", "[y]", "é", "a+b", "a:b", "", "plain", "'q'", "back\\slash", "100%", "x;y,z")

  test("special characters in partition values") {
    import spark.implicits._
    val path = written("special", (awkward :+ null).zipWithIndex.toDF("p_v", "n").coalesce(1))(_.partitionBy("p_v"))
    assertParity(Seq(path))(identity)
    val found = assertParity(Seq(path))(identity).rows.map(row => row.getString(1)).toSet
    assert(found == (awkward.filter(_.nonEmpty).toSet + null))
    awkward.filter(_.nonEmpty).foreach { value =>
      withClue(s"$value: ") {
        val done = assertParity(Seq(path))(_.where(col("p_v") === value))
        assert(done.rows.size == 1)
      }
    }
    assertParity(Seq(path))(_.where("p_v is null"))
    assertParity(Seq(path))(_.select(input_file_name(), col("n")))
  }

  Seq("pt sp%20c", "[br]", "a+b", "é", "x#y", "p=q r").foreach { name =>
    test(s"special characters in a directory: $name") {
      val base = written("plain", spark.range(0, 10, 1, 1).toDF())(identity)
      val target = store.fresh("special-dir")
      val fs = store.fileSystem(target)
      val dir = new org.apache.hadoop.fs.Path(new org.apache.hadoop.fs.Path(target), name)
      val file = store.path(store.files(base).head)
      store.write(new org.apache.hadoop.fs.Path(dir, file.getName).toString, store.read(file.toString))
      assert(fs.exists(dir))
      val text = dir.toString
      if (name.startsWith("[")) {
        val problem = assertSameError(Seq(text), cause = false)(identity)
        assert(problem.condition.contains("PATH_NOT_FOUND"))
        assertParity(Seq(text.replace("[", "\\[").replace("]", "\\]")))(identity)
      } else assert(assertParity(Seq(text))(identity).rows.size == 10)
    }
  }

  test("a partition column that the files have too") {
    Seq("first" -> "required int32 p_a; required int32 b; required int32 c;", "middle" -> "required int32 b; required int32 p_a; required int32 c;", "last" -> "required int32 b; required int32 c; required int32 p_a;").foreach {
      case (where, columns) =>
        val path = dataset(s"overlap-$where") { dir =>
          val leaf = Files.createDirectories(dir.resolve("p_a=5"))
          ParquetFiles.write(leaf.resolve("x.parquet"), s"message m { $columns }")(_.append("p_a", 7).append("b", 1).append("c", 2))
        }
        withClue(s"$where: ") {
          assert(assertParity(Seq(path))(_.select("p_a")).rows.head.getInt(0) == 5)
          assertParity(Seq(path))(identity)
          assert(assertParity(Seq(path))(_.where("p_a = 5")).rows.size == 1)
          assert(assertParity(Seq(path))(_.where("p_a = 7")).rows.isEmpty)
          assert(assertParity(Seq(path))(_.where("p_a = 5").agg(count(lit(1)))).rows.head.getLong(0) == 1)
          assert(assertParity(Seq(s"$path/p_a=5"))(_.select("p_a")).rows.head.getInt(0) == 7)
          assert(assertParity(Seq(s"$path/p_a=5"), Map("basePath" -> path))(_.select("p_a")).rows.head.getInt(0) == 5)
        }
    }
  }

  test("dynamic partition pruning") {
    val facts = written(
      "facts",
      spark.range(0, 2000, 1, 1).selectExpr("id", "repeat(cast(id as string), 20) as text", "cast(id % 20 as int) as p_key")
    )(_.partitionBy("p_key"))
    val dims = written("dims", spark.range(20).selectExpr("cast(id as int) as key", "concat('name', id % 10) as name"))(identity)
    Seq("true", "false").foreach { adaptive =>
      withConf("spark.sql.adaptive.enabled" -> adaptive) {
        def join(format: String) =
          load(format, Seq(facts)).join(load(format, Seq(dims)), col("p_key") === col("key")).where("name = 'name3'").select("id", "text", "name")
        val expected = run(join(SparkHarness.reference))
        val stockPruned = Scans.operators(expected.frame).exists {
          case scan: FileSourceScanExec => scan.partitionFilters.exists(_.isInstanceOf[DynamicPruningExpression])
          case _ => false
        }
        assert(stockPruned, s"Spark prunes nothing in\n${expected.frame.queryExecution.executedPlan}")
        val (actual, requests) = S3Server.recording(run(join(SparkHarness.format)))
        assertSame(expected, actual, ordered = false)
        whenUnderTest {
          val scan = Scans.ofAsyncscan(actual.frame).find(_.runtimeFilters.nonEmpty)
          assert(scan.isDefined, s"no dynamic filter in\n${actual.frame.queryExecution.executedPlan}")
          assert(scan.get.runtimeFilters.exists(_.isInstanceOf[DynamicPruningExpression]))
          val matching = store.files(s"$facts/p_key=3") ++ store.files(s"$facts/p_key=13")
          // Twice, for footers that come along; all twenty files have ten times as much.
          assert(Scans.value(scan.get, "bytesFetched") <= 2 * matching.map(store.length).sum)
          assert(Scans.value(scan.get, "requests") <= 2L * matching.size)
          if (store.name == "s3a") {
            val read = requests.filter(_.verb == "GET").map(_.key).filter(_.contains("p_key=")).distinct
            // One file's footer may be read to infer the schema.
            assert(read.count(key => !key.contains("p_key=3/") && !key.contains("p_key=13/")) <= 1, s"$read")
          }
        }
      }
    }
  }

  private def tree: String = dataset("tree") { dir =>
    def put(path: String, id: Int): Unit = {
      val file = dir.resolve(path)
      Files.createDirectories(file.getParent)
      ParquetFiles.write(file, "message m { required int32 id; }")(_.append("id", id))
    }
    put("a1/one.parquet", 1)
    put("a1/two.parquet", 2)
    put("a2/three.parquet", 3)
    put("b1/deep/four.parquet", 4)
    put("b1/deep/deeper/five.parquet", 5)
    put("b1/six.pq", 6)
  }

  private def idsOf(done: Parity.Done): Set[Int] = done.rows.map(_.getInt(0)).toSet

  test("files, directories, several paths, globs") {
    val path = tree
    assert(idsOf(assertParity(Seq(s"$path/a1/one.parquet"))(identity)) == Set(1))
    assert(idsOf(assertParity(Seq(s"$path/a1", s"$path/a2"))(identity)) == Set(1, 2, 3))
    assert(idsOf(assertParity(Seq(s"$path/a*"))(identity)) == Set(1, 2, 3))
    assert(idsOf(assertParity(Seq(s"$path/{a2,b1}/*/*.parquet", s"$path/a?/t*.parquet"))(identity)) == Set(2, 3, 4))
    assert(idsOf(assertParity(Seq(s"$path/a[12]/*.parquet"))(identity)) == Set(1, 2, 3))
    assert(assertParity(Seq(s"$path/a1", s"$path/a1"))(identity).rows.size == 4)
    assert(idsOf(assertParity(Seq(s"$path/a1/"))(identity)) == Set(1, 2))
  }

  test("recursive look-up") {
    val path = tree
    assert(idsOf(assertParity(Seq(path), Map("recursiveFileLookup" -> "true"))(identity)).size == 6)
    val code = sales
    assertParity(Seq(code), Map("recursiveFileLookup" -> "true"))(identity)
  }

  test("a filter on file names") {
    val path = tree
    assert(idsOf(assertParity(Seq(path), Map("recursiveFileLookup" -> "true", "pathGlobFilter" -> "*.pq"))(identity)) == Set(6))
    assert(idsOf(assertParity(Seq(s"$path/a1"), Map("pathGlobFilter" -> "o*"))(identity)) == Set(1))
  }

  test("filters on modification times") {
    val path = tree
    val early = Map("recursiveFileLookup" -> "true", "modifiedAfter" -> "2001-01-01T00:00:00")
    assert(assertParity(Seq(path), early)(identity).rows.size == 6)
    val schema = Some(StructType.fromDDL("id int"))
    val none = Map("recursiveFileLookup" -> "true", "modifiedBefore" -> "2001-01-01T00:00:00")
    assert(assertParity(Seq(path), none, schema)(identity).rows.isEmpty)
    assertSameError(Seq(path), Map("modifiedAfter" -> "not a time"))(identity)
  }

  test("base paths") {
    val path = sales
    assertParity(Seq(s"$path/p_region=1"))(identity)
    assertParity(Seq(s"$path/p_region=1"), Map("basePath" -> path))(_.where("p_region = 1"))
    assertParity(Seq(s"$path/p_region=1", s"$path/p_region=2"), Map("basePath" -> path))(identity)
    assertParity(Seq(s"$path/p_region=*/p_day=2024-02-01"), Map("basePath" -> path))(identity)
    assertSameError(Seq(path), Map("basePath" -> s"$path/elsewhere"))(identity)
  }

  test("directories that disagree about partitions") {
    val path = dataset("conflict") { dir =>
      Seq("x=1/y=2", "y=2/x=1").zipWithIndex.foreach { case (leaf, i) =>
        val to: Path = Files.createDirectories(dir.resolve(leaf))
        ParquetFiles.write(to.resolve("f.parquet"), "message m { required int32 id; }")(_.append("id", i))
      }
    }
    assertSameError(Seq(path))(identity)
  }
}

class FilePartitionParitySuite extends PartitionParitySuite(FileStore)
class S3aPartitionParitySuite extends PartitionParitySuite(S3aStore.main)
