// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.Files

import org.apache.spark.sql.functions._

/** What a row knows of the file it comes from. */
abstract class MetadataParitySuite(store: Store) extends ParitySuite(store) {

  override protected def bothReaders: Boolean = true

  private val schema = "message m { required int32 id; required binary s (STRING); }"

  private def numbered(dir: java.nio.file.Path, name: String, from: Int, rows: Int): Unit =
    ParquetFiles.write(Files.createDirectories(dir).resolve(name), schema, ParquetFiles.small(50, 10))(
      Seq.tabulate(rows)(i => (group: org.apache.parquet.example.data.Group) => {
        group.append("id", from + i).append("s", s"s${from + i}")
        ()
      }): _*
    )

  private def data: String = dataset("metadata") { dir =>
    numbered(dir.resolve("p_a=1"), "one file.parquet", 0, 300)
    numbered(dir.resolve("p_a=2"), "two.parquet", 300, 170)
  }

  private val fields = Seq("file_path", "file_name", "file_size", "file_modification_time", "file_block_start", "file_block_length", "row_index")

  test("each field alone and all together") {
    val path = data
    eachReader { _ =>
      fields.foreach(field => withClue(s"$field: ")(assertParity(Seq(path))(_.selectExpr(s"_metadata.$field", "id"))))
      assertParity(Seq(path))(_.selectExpr("*", "_metadata"))
      assertParity(Seq(path))(_.selectExpr("_metadata.*"))
      assertParity(Seq(path))(_.selectExpr("_metadata.row_index", "_metadata.file_name"))
      assertParity(Seq(path))(_.selectExpr("p_a", "_metadata.file_path"))
    }
  }

  test("row indexes under filters") {
    val path = data
    eachReader { _ =>
      val some = assertParity(Seq(path))(_.where("id >= 120 and id < 135").selectExpr("id", "_metadata.row_index"))
      assert(some.rows.nonEmpty && some.rows.forall(row => row.getInt(0).toLong == row.getLong(1)))
      assertParity(Seq(path))(_.where("id % 100 = 3").selectExpr("_metadata.row_index", "_metadata.file_name", "s"))
      assertParity(Seq(path))(_.where("_metadata.row_index < 3").select("id"))
      assertParity(Seq(path))(_.where("id in (7, 333) and _metadata.row_index > 10").selectExpr("id", "_metadata.row_index"))
    }
  }

  test("row indexes in many splits") {
    val path = data
    withConf("spark.sql.files.maxPartitionBytes" -> "2048", "spark.sql.files.openCostInBytes" -> "0") {
      eachReader { _ =>
        val all = assertParity(Seq(path))(_.where("p_a = 1").selectExpr("id", "_metadata.row_index"))
        assert(all.rows.size == 300 && all.rows.forall(row => row.getInt(0).toLong == row.getLong(1)))
      }
    }
  }

  test("filters on the file") {
    val path = data
    assertParity(Seq(path))(_.where("_metadata.file_name = 'two.parquet'").select("id"))
    assertParity(Seq(path))(_.where("_metadata.file_size > 0 and _metadata.file_path like '%p_a=1%'").select("id"))
    assertParity(Seq(path))(_.groupBy("_metadata.file_name").agg(count(lit(1)), max("_metadata.row_index")))
    assertParity(Seq(path))(_.where("_metadata.file_modification_time > timestamp'2001-01-01 00:00:00'").agg(count(lit(1))))
  }

  test("input_file_name and its kin") {
    val path = data
    eachReader { _ =>
      val named = assertParity(Seq(path))(_.select(col("id"), input_file_name()))
      assert(named.rows.forall(_.getString(1).endsWith(".parquet")))
      assertParity(Seq(path))(_.where(input_file_name().contains("two")).select("s"))
      assertParity(Seq(path))(_.groupBy(input_file_name()).count())
      // Blocks are what each reader makes of them; both name real ones.
      val blocks = run(load(SparkHarness.format, Seq(path)).selectExpr("input_file_block_start()", "input_file_block_length()"))
      assert(blocks.rows.forall(row => row.getLong(0) >= 0 && row.getLong(1) > 0))
    }
  }

  test("a data column of that name") {
    val path = example("metadata-column") { file =>
      ParquetFiles.write(file, "message m { required int32 _metadata; required int32 id; }")(_.append("_metadata", 5).append("id", 1))
    }
    eachReader { _ =>
      assertParity(Seq(path))(identity)
      assertParity(Seq(path))(_.select("_metadata"))
      assertParity(Seq(path))(frame => frame.select(frame.metadataColumn("_metadata").getField("file_name")))
    }
  }

  test("metadata is not there unless asked for") {
    assert(!load(SparkHarness.format, Seq(data)).columns.contains("_metadata"))
    assertParity(Seq(data))(_.select("*"))
  }

  test("what cannot be resolved") {
    assertSameError(Seq(data))(_.selectExpr("_metadata.nothing"))
    assertSameError(Seq(data))(_.selectExpr("metadata.file_name"))
  }
}

class FileMetadataParitySuite extends MetadataParitySuite(FileStore)
class S3aMetadataParitySuite extends MetadataParitySuite(S3aStore.main)
