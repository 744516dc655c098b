// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.DataFrame

/** Tables of Delta and Iceberg, with their session extensions and ours in one session: their scans stay theirs, those of Spark's
  * own files in the same query read ahead.
  */
abstract class TableFormatsSuite(store: Store) extends ParitySuite(store) with ExtensionChecks {
  import ExtensionChecks._

  private def rows(from: Long, to: Long): DataFrame =
    spark.range(from, to, 1, 3).selectExpr("id", "concat('t', id) as t", "cast(id % 3 as int) as k")

  private def changes: String = written("formats-changes", spark.range(2990, 3010).selectExpr("id", "'changed' as t", "9 as k"))(identity)

  /** Compares with and without our extension, and with what is expected: rows, and a plan in which nothing is ours. */
  private def assertLeftAlone(query: => DataFrame, expected: => DataFrame): Unit = {
    val off = run(query)
    withExtension {
      val on = run(query)
      assert(Scans.ofExtension(on.frame).isEmpty && Scans.ofAsyncscan(on.frame).isEmpty, s"\n${plan(on.frame)}")
      assert(shape(on.frame) == shape(off.frame))
      assert(on.canonical(ordered = false) == off.canonical(ordered = false))
      assert(on.canonical(ordered = false) == run(expected).canonical(ordered = false))
    }
  }

  /** A query over a table of theirs and files of ours: each scan is read by whom it belongs to. */
  private def assertBeside(table: String): Unit = withExtension {
    val done = run(spark.sql(s"SELECT c.id, c.t, d.t FROM parquet.`$changes` c JOIN $table d ON c.id = d.id"))
    assert(done.rows.size == 20)
    assert(Scans.ofExtension(done.frame).size == 1, s"\n${plan(done.frame)}")
    assert(Scans.value(only(done.frame), "requests") > 0)
  }

  /** What is in the table after [[change]]. */
  private def changed: DataFrame = rows(0, 3010).selectExpr(
    "id",
    "CASE WHEN id >= 2990 THEN 'changed' WHEN id % 7 = 2 THEN upper(t) ELSE t END AS t",
    "CASE WHEN id >= 2990 THEN 9 ELSE k END AS k"
  ).where("id % 10 <> 3 OR id >= 2990")

  private def change(table: String): Unit = {
    spark.sql(s"DELETE FROM $table WHERE id % 10 = 3")
    spark.sql(s"UPDATE $table SET t = upper(t) WHERE id % 7 = 2")
    spark.sql(
      s"""MERGE INTO $table d USING parquet.`$changes` c ON c.id = d.id
         |WHEN MATCHED THEN UPDATE SET d.t = c.t, d.k = c.k
         |WHEN NOT MATCHED THEN INSERT (id, t, k) VALUES (c.id, c.t, c.k)""".stripMargin
    )
    ()
  }

  Seq(false, true).foreach { vectors =>
    test(s"Delta, deletion vectors $vectors") {
      assume(TableFormats.delta, TableFormats.hint)
      val path = store.fresh("delta")
      val table = s"delta.`$path`"
      withExtension {
        spark.sql(
          s"""CREATE TABLE $table (id BIGINT, t STRING, k INT) USING delta PARTITIONED BY (k)
             |TBLPROPERTIES ('delta.enableDeletionVectors' = '$vectors', 'delta.checkpointInterval' = '2')""".stripMargin
        )
        rows(0, 3000).write.format("delta").mode("append").save(path)
        change(table)
      }
      assert(store.files(path).exists(_.contains(".checkpoint")), "a log that is read as Parquet, too")
      TableFormats.forgetDeltaLogs()
      assertLeftAlone(spark.read.format("delta").load(path), changed)
      assertLeftAlone(spark.sql(s"SELECT t, id FROM $table WHERE k = 1 AND id > 100"), changed.where("k = 1 AND id > 100").select("t", "id"))
      assertLeftAlone(spark.read.format("delta").option("versionAsOf", "1").load(path), rows(0, 3000))
      assertBeside(table)
      withExtension(spark.sql(s"OPTIMIZE $table"))
      TableFormats.forgetDeltaLogs()
      assertLeftAlone(spark.table(table), changed)
    }
  }

  test("Delta, columns that have other names in the files") {
    assume(TableFormats.delta, TableFormats.hint)
    val table = s"delta.`${store.fresh("delta-names")}`"
    withExtension {
      spark.sql(s"CREATE TABLE $table (id BIGINT, t STRING, k INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
      spark.sql(s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, concat('t', id), cast(id % 3 as int) FROM range(500)")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN t TO text")
      spark.sql(s"ALTER TABLE $table DROP COLUMN k")
      spark.sql(s"ALTER TABLE $table ADD COLUMN t INT")
    }
    assertLeftAlone(spark.table(table), rows(0, 500).selectExpr("id", "t AS text", "CAST(NULL AS INT) AS t"))
    assertLeftAlone(spark.sql(s"SELECT text FROM $table WHERE t IS NULL AND id < 9"), rows(0, 9).selectExpr("t AS text"))
  }

  Seq("copy-on-write", "merge-on-read").foreach { mode =>
    test(s"Iceberg, $mode") {
      assume(TableFormats.iceberg, TableFormats.hint)
      val catalog = s"ice_${store.name}_${mode.replace('-', '_')}"
      withConf(
        s"spark.sql.catalog.$catalog" -> "org.apache.iceberg.spark.SparkCatalog",
        s"spark.sql.catalog.$catalog.type" -> "hadoop",
        s"spark.sql.catalog.$catalog.warehouse" -> store.fresh("iceberg")
      ) {
        val table = s"$catalog.db.orders"
        withExtension {
          spark.sql(
            s"""CREATE TABLE $table (id BIGINT, t STRING, k INT) USING iceberg PARTITIONED BY (k)
               |TBLPROPERTIES ('write.delete.mode' = '$mode', 'write.update.mode' = '$mode', 'write.merge.mode' = '$mode')""".stripMargin
          )
          rows(0, 3000).writeTo(table).append()
        }
        val first = spark.sql(s"SELECT snapshot_id FROM $table.snapshots").head().getLong(0)
        withExtension(change(table))
        assertLeftAlone(spark.table(table), changed)
        assertLeftAlone(spark.sql(s"SELECT t, id FROM $table WHERE k = 1 AND id > 100"), changed.where("k = 1 AND id > 100").select("t", "id"))
        assertLeftAlone(spark.sql(s"SELECT * FROM $table VERSION AS OF $first"), rows(0, 3000))
        assertBeside(table)
        withExtension {
          assert(spark.sql(s"SELECT sum(record_count) FROM $table.data_files").head().getLong(0) >= changed.count())
          spark.sql(s"CALL $catalog.system.rewrite_data_files(table => 'db.orders', options => map('rewrite-all', 'true'))")
        }
        assertLeftAlone(spark.table(table), changed)
      }
    }
  }
}

/** The table formats of others that are on the class path: those of the profile `table-formats`. */
object TableFormats {
  private val deltaExtension = "io.delta.sql.DeltaSparkSessionExtension"
  private val icebergExtension = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"

  val delta: Boolean = present(deltaExtension)
  val iceberg: Boolean = present(icebergExtension)
  val hint = "comes with -Ptable-formats"

  /** Their session extensions. */
  def extensions: Seq[String] = Seq(deltaExtension).filter(_ => delta) ++ Seq(icebergExtension).filter(_ => iceberg)

  /** Settings of a session that has them. */
  def conf: Map[String, String] =
    if (delta)
      Map(
        "spark.sql.catalog.spark_catalog" -> "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        // Delta's 50 are for logs of millions of files.
        "spark.databricks.delta.snapshotPartitions" -> "2"
      )
    else Map.empty

  /** Makes Delta read the log of each table again. */
  def forgetDeltaLogs(): Unit = {
    val log = Class.forName("org.apache.spark.sql.delta.DeltaLog$")
    log.getMethod("clearCache").invoke(log.getField("MODULE$").get(null))
    ()
  }

  private def present(name: String): Boolean = getClass.getClassLoader.getResource(name.replace('.', '/') + ".class") != null
}

class FileTableFormatsSuite extends TableFormatsSuite(FileStore)
class S3aTableFormatsSuite extends TableFormatsSuite(S3aStore.main)
