// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.functions._

/** Filters, with every way of pruning on and off: what is skipped may never change what is found. */
abstract class FilterParitySuite(store: Store) extends ParitySuite(store) {

  /** Ways of pruning, as session settings and read options. */
  private val ways: Seq[(String, Map[String, String], Map[String, String])] = {
    def way(stats: Boolean, dictionary: Boolean, bloom: Boolean, columnIndex: Boolean, recordLevel: Boolean) = Map(
      "parquet.filter.stats.enabled" -> stats.toString,
      "parquet.filter.dictionary.enabled" -> dictionary.toString,
      "parquet.filter.bloom.enabled" -> bloom.toString,
      "parquet.filter.columnindex.enabled" -> columnIndex.toString,
      "parquet.filter.record-level.enabled" -> recordLevel.toString
    )
    val on = Map("spark.sql.parquet.filterPushdown" -> "true")
    Seq(
      ("everything", on, Map.empty[String, String]),
      ("page index alone", on, way(stats = false, dictionary = false, bloom = false, columnIndex = true, recordLevel = false)),
      ("dictionary and bloom", on, way(stats = false, dictionary = true, bloom = true, columnIndex = false, recordLevel = false)),
      ("statistics alone", on, way(stats = true, dictionary = false, bloom = false, columnIndex = false, recordLevel = false))
    )
  }

  /** Every predicate has to find, in every way, what Spark finds without any pruning. */
  private def grid(path: String, predicates: Seq[String], columns: Seq[String] = Nil): Unit = {
    val projection = if (columns.isEmpty) Seq(col("*")) else columns.map(col)
    val expected = withConf("spark.sql.parquet.filterPushdown" -> "false") {
      val frame = load(SparkHarness.reference, Seq(path))
      predicates.map(predicate => run(frame.where(predicate).select(projection: _*)))
    }
    assert(expected.exists(_.rows.nonEmpty), "no predicate finds anything")
    // What is pruned does not depend on the store; what is fetched for it does.
    (if (store.name == "s3a") ways.take(2) else ways).foreach { case (name, confs, options) =>
      withConf(confs.toSeq: _*) {
        val frame = load(SparkHarness.format, Seq(path), options)
        predicates.zip(expected).foreach { case (predicate, want) =>
          withClue(s"$predicate by $name: ") {
            assertSame(want, run(frame.where(predicate).select(projection: _*)), ordered = false)
          }
        }
      }
    }
    // Here parquet-java compares rows itself, and to it -0.0 is not 0.0: Spark's own answer is the measure.
    withConf("spark.sql.parquet.enableVectorizedReader" -> "false", "spark.sql.parquet.recordLevelFilter.enabled" -> "true") {
      predicates.foreach { predicate =>
        withClue(s"$predicate row by row: ") {
          assertParity(Seq(path))(_.where(predicate).select(projection: _*))
        }
      }
    }
  }

  private val schema = MessageTypeParser.parseMessageType(
    """message m {
      |  required int32 id; required int64 l; optional double d; optional float f; optional binary s (STRING);
      |  optional int32 dec (DECIMAL(9,2)); optional fixed_len_byte_array(9) big (DECIMAL(20,0)); optional int32 dt (DATE);
      |  optional int64 ts (TIMESTAMP(MICROS,true)); optional int32 u (INTEGER(32,false)); optional boolean b;
      |  optional group n { optional int32 x; optional binary y (STRING); }
      |}""".stripMargin
  )

  private val rows = 2000

  /** Sorted by most columns, 8 row groups of 25 pages, so that all of statistics, page index and dictionaries prune. */
  private def fill(group: Group, i: Int): Unit = {
    group.append("id", i).append("l", i * 1000000L)
    if (i % 11 != 0) group.append("d", if (i % 50 == 1) Double.NaN else if (i == 2) -0.0 else i / 4.0)
    if (i % 13 != 0) group.append("f", if (i % 70 == 3) Float.NaN else -i.toFloat)
    if (i % 7 != 0) group.append("s", f"key-${i / 20}%05d")
    if (i % 3 != 0) group.append("dec", i * 25)
    group.append("big", org.apache.parquet.io.api.Binary.fromConstantByteArray(BigInt(i).toByteArray.reverse.padTo(9, 0.toByte).reverse))
    if (i < 1500) group.append("dt", 18000 + i / 10)
    group.append("ts", 1600000000000000L + i * 1000000L)
    group.append("u", i * 2000000)
    group.append("b", i % 400 < 200)
    if (i % 9 != 0) {
      val nested = group.addGroup("n")
      if (i % 2 == 0) nested.append("x", i)
      nested.append("y", s"y${i / 100}")
    }
  }

  private def sorted: String = example("filter-sorted") { file =>
    ParquetFiles.write(
      file,
      schema,
      ParquetFiles.small(250, 10).and(_.withBloomFilterEnabled("id", true).withBloomFilterEnabled("s", true))
    )(Iterator.tabulate(rows)(i => fill(_, i)))
  }

  test("comparisons of integers") {
    grid(
      sorted,
      Seq("id = 777", "id <> 5", "id < 15", "id >= 1985", "id > 245 and id < 256", "id = -1", "id <=> 3", "l = 1234000000", "l > 1999000000")
    )
  }

  test("IN, and many values of it") {
    val many = (0 until 60).map(_ * 31).mkString(", ")
    grid(sorted, Seq("id in (1, 250, 1999)", s"id in ($many)", "s in ('key-00003', 'nothing')", "not id in (1, 2)", "id in (7, null)"))
  }

  test("strings") {
    grid(
      sorted,
      Seq("s = 'key-00042'", "s like 'key-0009%'", "s like '%042'", "s like '%-0004%'", "s > 'key-00098'", "s = ''", "not (s like 'key-0000%')", "startswith(s, 'zzz')")
    )
  }

  test("nulls") {
    grid(sorted, Seq("s is null", "s is not null and id < 30", "dt is null", "d is null or f is null", "dt <=> null", "n is null", "not (dt is null)"))
  }

  test("floating point with NaN and negative zero") {
    grid(
      sorted,
      Seq("d > 490", "d = 0", "d = double('NaN')", "d <> double('NaN') and id < 60", "d < 1", "d >= double('Infinity')", "f < -1990", "f = float('NaN')", "d = -0.0D", "f in (float('NaN'), -7)")
    )
  }

  test("decimals, dates, timestamps, unsigned integers and booleans") {
    grid(
      sorted,
      Seq(
        "dec = 10.25",
        "dec > 499.50",
        "big = 1777",
        "big < 3",
        "dt = date'2019-04-15'",
        "dt between date'2019-08-01' and date'2019-08-05'",
        "ts > timestamp'2020-09-13 05:56:00'",
        "ts = timestamp_micros(1600000777000000)",
        "u > 3000000000",
        "u = 3998000000",
        "b",
        "not b and id > 1900"
      )
    )
  }

  test("nested fields") {
    grid(sorted, Seq("n.x = 778", "n.x > 1990", "n.x is null and id < 40", "n.y = 'y7'", "n.y > 'y8' and n.x < 1000"))
  }

  test("and, or, not") {
    grid(
      sorted,
      Seq(
        "id < 10 or id > 1990",
        "(id < 500 and s = 'key-00003') or (dec > 499 and b)",
        "not (id > 5 and l < 1990000000)",
        "id < 250 and l >= 250000000",
        "id % 250 = 3",
        "id + 1 = 500 or s is null",
        "(id = 3 or cast(id as string) = '7') and id < 1000"
      )
    )
  }

  test("a filter on a column that is not selected") {
    val path = sorted
    grid(path, Seq("id > 1990", "s = 'key-00042'", "n.x = 778"), Seq("d"))
    Seq("id > 1990", "s = 'key-00042'", "u > 3000000000", "d = double('NaN')").foreach { predicate =>
      val done = assertParity(Seq(path))(_.where(predicate).agg(count(lit(1))))
      assert(done.rows.head.getLong(0) > 0)
    }
  }

  test("filters on two columns that leave nothing of the first row group") {
    val path = example("filter-disjoint") { file =>
      ParquetFiles.write(file, "message m { required int32 a; required int32 b; }", ParquetFiles.small(100, 5))(
        Seq.tabulate(200)(i => (group: Group) => {
          // In the first row group a and b never match in one page; in the second they do.
          if (i < 100) group.append("a", i).append("b", 99 - i) else group.append("a", i - 100).append("b", i - 100)
          ()
        }): _*
      )
    }
    grid(path, Seq("a < 10 and b < 10", "a = 3 and b = 3", "a < 5 and b > 90"))
  }

  test("statistics that say nothing") {
    val path = example("filter-doubles") { file =>
      ParquetFiles.write(file, "message m { optional double d; optional binary s (STRING); }", ParquetFiles.small(4, 1))(
        _.append("d", Double.NaN).append("s", "x" * 5000),
        _.append("d", 1.0),
        _.append("d", -0.0).append("s", ""),
        _ => ()
      )
    }
    grid(
      path,
      Seq("d > 0", "d = 0", "d = double('NaN')", "d < 2", "d is null", "d >= -0.0D", "s > 'w'", "length(s) = 5000", "s = ''", "not (d > 0)")
    )
    assert(assertParity(Seq(path))(_.where("d > 0")).rows.size == 2)
    assert(assertParity(Seq(path))(_.where("d = 0")).rows.size == 1)
  }

  test("a footer without statistics") {
    val path = example("filter-no-statistics") { file =>
      ParquetFiles.write(file, schema, ParquetFiles.small(100, 10))(Iterator.tabulate(400)(i => fill(_, i)))
      ParquetFiles.changeFooter(file)(_.getRow_groups.forEach(_.getColumns.forEach(_.getMeta_data.unsetStatistics())))
    }
    grid(path, Seq("id = 77", "s is null", "u > 300000000", "d = 0", "id > 10000"))
  }

  test("a footer by a writer whose statistics are known to be wrong") {
    val path = example("filter-bad-writer") { file =>
      ParquetFiles.write(file, schema, ParquetFiles.small(100, 10))(Iterator.tabulate(400)(i => fill(_, i)))
      ParquetFiles.changeFooter(file)(_.setCreated_by("parquet-mr version 1.4.3 (build 0)"))
    }
    grid(path, Seq("id = 77", "s = 'key-00003'", "s > 'key-00010'", "big = 77"))
  }

  test("bloom filters without a length in the footer") {
    // Spark's own reader is no measure there: parquet 1.15 takes a short read of such a filter for all of it.
    assume(!org.apache.spark.SPARK_VERSION.startsWith("4.0"), "Spark 4.0 loses rows of such files on S3")
    val path = example("filter-bloom-old") { file =>
      ParquetFiles.write(
        file,
        "message m { required int32 id; required binary s (STRING); }",
        ParquetFiles.small(100, 10).and(_.withBloomFilterEnabled(true).withDictionaryEncoding(false))
      )(Seq.tabulate(400)(i => (group: Group) => { group.append("id", i * 7919 % 1000).append("s", s"s${i * 31 % 997}"); () }): _*)
      ParquetFiles.changeFooter(file)(_.getRow_groups.forEach(_.getColumns.forEach(_.getMeta_data.unsetBloom_filter_length())))
    }
    grid(path, Seq("id = 919", "id = 500", "s = 's31'", "s in ('s0', 's62')"))
  }

  test("limits of what is pushed down") {
    val path = sorted
    withConf("spark.sql.parquet.pushdown.inFilterThreshold" -> "2")(
      assertParity(Seq(path))(_.where("id in (1, 2, 3, 1999)").select("id"))
    )
    withConf("spark.sql.parquet.filterPushdown.timestamp" -> "false", "spark.sql.parquet.filterPushdown.date" -> "false")(
      assertParity(Seq(path))(_.where("ts > timestamp'2020-09-13 05:56:00' or dt = date'2019-04-15'"))
    )
    assertParity(Seq(path))(_.where(udf((i: Int) => i % 100 == 3).apply(col("id"))).select("s"))
    assertParity(Seq(path))(_.where("id > (select 1995)").select("id"))
  }

  test("the fixture has the row groups and pages that it is to have") {
    val file = store.files(sorted).head
    assert(ParquetFiles.footer(store.read(file)).getRow_groupsSize == 8)
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(store.path(file), spark.sparkContext.hadoopConfiguration))
    try assert(reader.readOffsetIndex(reader.getRowGroups.get(0).getColumns.get(0)).getPageCount == 25)
    finally reader.close()
  }

  test("a selective filter fetches little") {
    val path = sorted
    val whole = assertParity(Seq(path))(identity)
    val some = assertParity(Seq(path))(_.where("id = 777"))
    assert(some.rows.size == 1)
    whenUnderTest {
      assert(some.metric("rowGroupsPruned") == 7)
      assert(some.metric("bytesFetched") * 2 < whole.metric("bytesFetched"))
      assert(whole.metric("rowGroupsPruned") == 0)
    }
  }

  test("a predicate that no row group can meet reads no data") {
    val none = assertParity(Seq(sorted))(_.where("id > 100000"))
    assert(none.rows.isEmpty)
    whenUnderTest(assert(none.metric("rowGroupsPruned") == 8))
  }
}

class FileFilterParitySuite extends FilterParitySuite(FileStore)
class S3aFilterParitySuite extends FilterParitySuite(S3aStore.main)
