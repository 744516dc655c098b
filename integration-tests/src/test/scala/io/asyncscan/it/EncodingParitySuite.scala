// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.DataFrame

/** Page versions, encodings, codecs, and files cut into many row groups and pages. */
abstract class EncodingParitySuite(store: Store) extends ParitySuite(store) {

  override protected def bothReaders: Boolean = true

  private def frame: DataFrame = spark
    .range(0, 3000, 1, 1)
    .selectExpr(
      "id",
      "cast(id % 10 as int) as few",
      "concat('value-', id % 50) as word",
      "if(id % 3 = 0, null, id * 1.5D) as d",
      "sequence(0, id % 4) as xs",
      "cast(concat('b', id) as binary) as bin",
      "id % 2 = 0 as flag",
      "timestamp_micros(id * 1000000) as ts"
    )

  private def check(path: String): Unit = {
    val all = assertParity(Seq(path))(identity)
    assert(all.rows.size == 3000)
    assertParity(Seq(path))(_.where("few = 3 and word like 'value-1%'").select("id", "xs"))
    ()
  }

  for {
    version <- Seq("v1", "v2")
    dictionary <- Seq("true", "false")
  } test(s"data pages $version, dictionary $dictionary") {
    val path = written(s"pages-$version-$dictionary", frame)(
      _.option("parquet.writer.version", version)
        .option("parquet.enable.dictionary", dictionary)
        .option("parquet.block.size", "32768")
        .option("parquet.page.size", "1024")
    )
    eachReader(_ => check(path))
  }

  // Brotli and LZO need libraries that neither Spark nor asyncscan brings.
  Seq("uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "lz4").foreach { codec =>
    test(s"codec $codec") {
      val path = written(s"codec-$codec", frame)(_.option("compression", codec).option("parquet.block.size", "65536"))
      check(path)
    }
  }

  private def numbered(rows: Int): Iterator[Group => Unit] =
    Iterator.tabulate(rows) { i => (group: Group) =>
      group.append("id", i).append("word", s"w${i % 13}")
      if (i % 5 != 0) group.append("d", i / 3.0)
    }

  private val numberedSchema = org.apache.parquet.schema.MessageTypeParser.parseMessageType(
    "message m { required int32 id; required binary word (STRING); optional double d; }"
  )

  test("many row groups") {
    val path = example("many-groups") { file =>
      ParquetFiles.write(file, numberedSchema, ParquetFiles.small(20, 7))(numbered(3000))
    }
    assert(ParquetFiles.footer(store.read(store.files(path).head)).getRow_groupsSize == 150)
    eachReader { _ =>
      assert(assertParity(Seq(path), ordered = true)(identity).rows.size == 3000)
      assertParity(Seq(path))(_.where("id >= 1234 and id < 1300").select("d"))
    }
  }

  test("many pages in one row group") {
    val path = example("many-pages") { file =>
      ParquetFiles.write(file, numberedSchema, ParquetFiles.small(100000, 10))(numbered(5000))
    }
    eachReader { _ =>
      assert(assertParity(Seq(path), ordered = true)(identity).rows.size == 5000)
      assertParity(Seq(path))(_.where("id in (3, 999, 4711)").select("word", "d"))
    }
  }

  test("many row groups in many splits") {
    val path = example("many-groups") { file =>
      ParquetFiles.write(file, numberedSchema, ParquetFiles.small(20, 7))(numbered(3000))
    }
    withConf("spark.sql.files.maxPartitionBytes" -> "4096", "spark.sql.files.openCostInBytes" -> "0") {
      assert(assertParity(Seq(path))(identity).rows.size == 3000)
      assertParity(Seq(path))(_.groupBy("word").count())
    }
  }

  test("encodings of version 2 and byte stream split") {
    val path = example("encodings") { file =>
      ParquetFiles.write(
        file,
        numberedSchema,
        ParquetFiles
          .small(500, 100)
          .and(_.withWriterVersion(WriterVersion.PARQUET_2_0).withDictionaryEncoding(false).withByteStreamSplitEncoding(true))
      )(numbered(1000))
    }
    // Which encodings the vectorized reader knows depends on the version of Spark.
    eachReader(_ => assertSameAnswer(Seq(path))(identity))
  }

  // Pages that are not compressed are decoded where they lie in the fetched bytes.
  Seq("required", "optional").foreach { repetition =>
    test(s"texts and bytes in deltas, not compressed, $repetition") {
      val schema = org.apache.parquet.schema.MessageTypeParser.parseMessageType(
        s"""message m {
           |  required int32 id; $repetition binary t (STRING); $repetition binary b; $repetition fixed_len_byte_array(4) f;
           |  optional group xs (LIST) { repeated group list { optional binary element (STRING); } }
           |}""".stripMargin
      )
      val path = example(s"deltas-$repetition") { file =>
        ParquetFiles.write(
          file,
          schema,
          ParquetFiles.small(400, 60).and(_.withWriterVersion(WriterVersion.PARQUET_2_0).withDictionaryEncoding(false))
        )(Iterator.tabulate(1000) { i => (group: Group) =>
          group.append("id", i)
          if (repetition == "required" || i % 3 != 0)
            group.append("t", s"common-${i / 7}-$i").append("b", Binary.fromString("b" * (i % 50))).append("f", Binary.fromString(f"$i%04d"))
          val list = group.addGroup("xs")
          (0 until i % 3).foreach(k => list.addGroup("list").append("element", s"common-$i-$k"))
        })
      }
      eachReader { _ =>
        assert(assertParity(Seq(path), ordered = true)(identity).rows.size == 1000)
        assert(assertParity(Seq(path))(_.where("t like '%77'")).rows.nonEmpty)
        assertParity(Seq(path))(_.where("id between 450 and 900").select("b", "f", "xs"))
      }
    }
  }

  test("dictionaries that overflow into plain pages") {
    val path = example("overflow") { file =>
      ParquetFiles.write(
        file,
        numberedSchema,
        ParquetFiles.small(1000, 50).and(_.withDictionaryPageSize(64))
      )(numbered(3000))
    }
    eachReader { _ =>
      assertParity(Seq(path))(identity)
      assertParity(Seq(path))(_.where("word = 'w3' and id > 2900"))
    }
  }

  test("page checksums") {
    val path = example("checksums") { file =>
      ParquetFiles.write(file, numberedSchema, ParquetFiles.small(100, 20).and(_.withPageWriteChecksumEnabled(true)))(
        numbered(500)
      )
    }
    assertParity(Seq(path), Map("parquet.page.verify-checksum.enabled" -> "true"))(identity)
  }

  test("small batches and off-heap batches") {
    val path = example("many-pages") { file =>
      ParquetFiles.write(file, numberedSchema, ParquetFiles.small(100000, 10))(numbered(5000))
    }
    withConf("spark.sql.parquet.columnarReaderBatchSize" -> "17")(assertParity(Seq(path), ordered = true)(identity))
    withConf("spark.sql.columnVector.offheap.enabled" -> "true")(assertParity(Seq(path), ordered = true)(identity))
  }

  test("more columns than code generation takes") {
    val columns = (0 until 150).map(i => s"id + $i as c$i")
    val path = written("wide", spark.range(0, 300, 1, 1).selectExpr(columns: _*))(_.option("parquet.block.size", "16384"))
    assertParity(Seq(path))(identity)
    assertParity(Seq(path))(_.select("c149", "c0", "c77").where("c77 > 300"))
  }
}

class FileEncodingParitySuite extends EncodingParitySuite(FileStore)
class S3aEncodingParitySuite extends EncodingParitySuite(S3aStore.main)
