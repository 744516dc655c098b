// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.io.{ByteArrayOutputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import org.apache.hadoop.io.compress.CompressionCodecFactory
import org.apache.spark.sql.types.StructType

/** A suite that reads files of text, written byte by byte. */
abstract class CsvSuite(store: Store) extends ParitySuite(store) {
  override def reference: String = "csv"

  /** A directory with these files. */
  def files(name: String)(contents: (String, Array[Byte])*): String = dataset(name) { dir =>
    Files.createDirectories(dir)
    contents.foreach { case (file, bytes) =>
      val target = dir.resolve(file)
      Files.createDirectories(target.getParent)
      Files.write(target, bytes)
    }
  }

  /** A directory with one file of this text. */
  def text(name: String, content: String): String = files(name)("part-0.csv" -> content.getBytes(UTF_8))

  /** A schema in SQL. */
  def ddl(columns: String): Option[StructType] = Some(StructType.fromDDL(columns))

  /** `bytes` as the codec of that file ending packs them. */
  def packed(ending: String, bytes: Array[Byte]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val stream: OutputStream = ending match {
      case "zst" => new com.github.luben.zstd.ZstdOutputStream(out)
      case other => new CompressionCodecFactory(new org.apache.hadoop.conf.Configuration).getCodecByName(other).createOutputStream(out)
    }
    stream.write(bytes)
    stream.close()
    out.toByteArray
  }

  /** Runs `body` with partitions of `bytes`, whichever reader cuts them. */
  def cutBy[T](bytes: Long)(body: => T): T = withConf(
    "spark.sql.files.maxPartitionBytes" -> bytes.toString,
    "spark.sql.files.openCostInBytes" -> "0"
  )(body)
}
