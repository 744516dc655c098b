// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.DynamicPruningExpression
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** Tables of the catalog: partitioned, bucketed, sorted, written to while they are read. */
abstract class ExtensionTablesSuite(store: Store) extends ParitySuite(store) with ExtensionChecks {
  private val counter = new AtomicInteger

  /** Runs `body` with the name of a table that is not there yet, and drops it afterwards. */
  private def withTable[T](body: String => T): T = {
    val name = s"ext_${store.name}_${counter.incrementAndGet()}"
    try body(name)
    finally { spark.sql(s"DROP TABLE IF EXISTS $name"); () }
  }

  private def partitioned(name: String, rows: Int = 600): Unit = {
    spark.range(0, rows.toLong, 1, 2).selectExpr("id", "repeat(cast(id as string), 20) as text", "cast(id % 12 as int) as p_key")
      .write.option("path", store.fresh(name)).partitionBy("p_key").saveAsTable(name)
  }

  private def bucketed(name: String, buckets: Int, sorted: Boolean = false): Unit = {
    val writer = spark.range(0, 2000, 1, 1).selectExpr("id", s"concat('$name', id) as text").write.option("path", store.fresh(name))
    val placed = writer.bucketBy(buckets, "id")
    (if (sorted) placed.sortBy("id") else placed).saveAsTable(name)
  }

  test("tables and views") {
    withTable { name =>
      partitioned(name)
      assertUnchanged()(spark.table(name))
      assertUnchanged()(spark.sql(s"SELECT id, text FROM $name WHERE p_key IN (3, 5) AND id > 100"))
      spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW ${name}_view AS SELECT id FROM $name WHERE p_key < 4")
      assertUnchanged()(spark.table(s"${name}_view"))
      assertUnchanged()(spark.sql(s"SELECT input_file_name(), _metadata.row_index, id FROM $name"))
      spark.sql(s"ANALYZE TABLE $name COMPUTE STATISTICS FOR ALL COLUMNS")
      assertUnchanged()(spark.sql(s"SELECT count(1), max(id), min(p_key) FROM $name"))
    }
  }

  test("partitions in places of their own") {
    withTable { name =>
      partitioned(name)
      val elsewhere = written("ext-elsewhere", spark.range(1000, 1010).selectExpr("id", "'far' as text"))(identity)
      spark.sql(s"ALTER TABLE $name ADD PARTITION (p_key = 99) LOCATION '$elsewhere'")
      assert(assertUnchanged()(spark.sql(s"SELECT id FROM $name WHERE p_key = 99")).rows.size == 10)
      assertUnchanged()(spark.sql(s"SELECT * FROM $name WHERE p_key > 9"))
    }
  }

  Seq("true", "false").foreach { adaptive =>
    test(s"dynamic partition pruning, adaptive execution $adaptive") {
      withTable { name =>
        partitioned(name)
        val dims = written("ext-dims", spark.range(12).selectExpr("cast(id as int) as key", "concat('name', id % 6) as name"))(identity)
        spark.read.parquet(dims).createOrReplaceTempView("ext_dims")
        withConf("spark.sql.adaptive.enabled" -> adaptive) {
          def join: DataFrame = spark.sql(s"SELECT id, text, name FROM $name JOIN ext_dims ON p_key = key WHERE name = 'name3'")
          // The counts that are compared have the number of files and partitions that were read.
          val done = assertUnchanged()(join)
          val pruned = ExtensionChecks.scans(done.frame).filter(_.partitionFilters.exists(_.isInstanceOf[DynamicPruningExpression]))
          assert(pruned.map(_.metrics("numPartitions").value) == Seq(2L), s"\n${ExtensionChecks.plan(done.frame)}")
          val (_, log) = S3Server.recording(withExtension(join.collect()))
          if (store.name == "s3a") {
            val read = log.filter(_.verb == "GET").map(_.key).filter(_.contains("p_key="))
            assert(read.nonEmpty && read.forall(key => key.contains("p_key=3/") || key.contains("p_key=9/")), s"$read")
          }
        }
      }
    }
  }

  test("bucketed joins need no shuffle") {
    withTable { left =>
      withTable { right =>
        bucketed(left, 8, sorted = true)
        bucketed(right, 4)
        withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
          def shuffles(frame: DataFrame): Int = Scans.operators(frame).count(_.isInstanceOf[ShuffleExchangeLike])
          val self = assertUnchanged()(spark.sql(s"SELECT a.id, a.text, b.text FROM $left a JOIN $left b ON a.id = b.id"))
          assert(shuffles(self.frame) == 0)
          Seq("true", "false").foreach { coalesce =>
            withConf("spark.sql.bucketing.coalesceBucketsInJoin.enabled" -> coalesce) {
              assertUnchanged()(spark.sql(s"SELECT a.id, a.text, b.text FROM $left a JOIN $right b ON a.id = b.id"))
            }
          }
          withConf("spark.sql.legacy.bucketedTableScan.outputOrdering" -> "true") {
            // Spark lists the files while it plans then, and forgets how many there were.
            assertUnchanged(counted = false)(spark.sql(s"SELECT a.id, b.text FROM $left a JOIN $left b ON a.id = b.id"))
          }
          withConf("spark.sql.sources.bucketing.enabled" -> "false") {
            assertUnchanged()(spark.sql(s"SELECT a.id, b.text FROM $left a JOIN $left b ON a.id = b.id"))
          }
        }
        assertUnchanged()(spark.sql(s"SELECT id, count(1) FROM $left GROUP BY id"))
        val one = assertUnchanged()(spark.sql(s"SELECT * FROM $left WHERE id = 77"))
        assert(one.rows.size == 1)
      }
    }
  }

  test("writing what is being read") {
    withTable { name =>
      withTable { copy =>
        partitioned(name)
        withExtension {
          spark.sql(s"CREATE TABLE $copy USING parquet LOCATION '${store.fresh(copy)}' AS SELECT * FROM $name WHERE p_key <> 5")
          assert(spark.table(copy).count() == 550)
          spark.sql(s"INSERT INTO $copy SELECT id + 10000, text, p_key FROM $copy WHERE p_key = 1")
          assert(spark.table(copy).count() == 600)
          spark.sql(s"INSERT OVERWRITE TABLE $name PARTITION (p_key = 5) SELECT id, text FROM $copy WHERE id > 10000")
        }
        assert(assertUnchanged()(spark.sql(s"SELECT id FROM $name WHERE p_key = 5")).rows.size == 50)
        assertUnchanged()(spark.table(copy))
        val refused = (on: Boolean) => {
          def overwrite() = spark.sql(s"INSERT OVERWRITE TABLE $copy SELECT * FROM $copy")
          Parity.Problem(intercept[Exception](if (on) withExtension(overwrite()) else overwrite())).condition
        }
        assert(refused(true) == refused(false))
      }
    }
  }

  test("a table that was read and written again") {
    withTable { name =>
      partitioned(name)
      withExtension {
        val frame = spark.table(name).where("p_key = 2")
        assert(frame.count() == 50)
        spark.sql(s"INSERT INTO $name PARTITION (p_key = 2) SELECT id + 5000, text FROM $name WHERE p_key = 3")
        assert(spark.table(name).where("p_key = 2").count() == 100)
      }
    }
  }
}

class FileExtensionTablesSuite extends ExtensionTablesSuite(FileStore)
class S3aExtensionTablesSuite extends ExtensionTablesSuite(S3aStore.main)
