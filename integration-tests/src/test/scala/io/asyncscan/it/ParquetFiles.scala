// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.format.{FileMetaData, RowGroup, Util}
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.LocalOutputFile
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/** Parquet files that Spark cannot write, by parquet-java's example writer and by hand. */
object ParquetFiles {

  /** How a file is written: after how many rows a row group ends, and what else the builder is told. */
  final case class Tuning(rowsInGroup: Int, builder: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder) {
    def and(more: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder): Tuning = copy(builder = builder.andThen(more))
  }

  val plain: Tuning = Tuning(Int.MaxValue, identity)

  def tuned(builder: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder): Tuning = plain.and(builder)

  /** Row groups and pages of so few rows that a small file has many of both. */
  def small(rowsInGroup: Int, rowsInPage: Int): Tuning =
    Tuning(
      rowsInGroup,
      _.withPageRowCountLimit(rowsInPage).withMinRowCountForPageSizeCheck(1).withMaxRowCountForPageSizeCheck(1)
    )

  def write(file: Path, schema: String, tuning: Tuning = plain)(rows: (Group => Unit)*): Unit =
    write(file, MessageTypeParser.parseMessageType(schema), tuning)(rows.iterator)

  def write(file: Path, schema: MessageType, tuning: Tuning)(rows: Iterator[Group => Unit]): Unit = {
    val builder = ExampleParquetWriter.builder(new LocalOutputFile(file)).withType(schema).withConf(new Configuration(false))
    val writer = tuning.builder(builder).build()
    try
      rows.zipWithIndex.foreach { case (fill, i) =>
        if (i > 0 && i % tuning.rowsInGroup == 0) endRowGroup(writer)
        val group = new SimpleGroup(schema)
        fill(group)
        writer.write(group)
      }
    finally writer.close()
  }

  /** What the writer does when a row group is full. The one of Spark 4.0 knows no limit in rows, hence by its private methods. */
  private def endRowGroup(writer: ParquetWriter[Group]): Unit = {
    val field = classOf[ParquetWriter[Group]].getDeclaredField("writer")
    field.setAccessible(true)
    val inner = field.get(writer)
    Seq("flushRowGroupToStore", "initStore").foreach { name =>
      val method = inner.getClass.getDeclaredMethod(name)
      method.setAccessible(true)
      method.invoke(inner)
    }
  }

  /** Rewrites the footer of a file; the data stays where it is. */
  def changeFooter(file: Path)(change: FileMetaData => Unit): Unit = {
    val bytes = Files.readAllBytes(file)
    val start = footerStart(bytes)
    val footer = Util.readFileMetaData(new java.io.ByteArrayInputStream(bytes, start, bytes.length - start))
    change(footer)
    val out = new ByteArrayOutputStream
    out.write(bytes, 0, start)
    Util.writeFileMetaData(footer, out)
    val length = out.size - start
    out.write(Array.tabulate(4)(i => (length >> (8 * i)).toByte))
    out.write("PAR1".getBytes("US-ASCII"))
    Files.write(file, out.toByteArray)
    ()
  }

  def footer(bytes: Array[Byte]): FileMetaData = {
    val start = footerStart(bytes)
    Util.readFileMetaData(new java.io.ByteArrayInputStream(bytes, start, bytes.length - start))
  }

  def footerStart(bytes: Array[Byte]): Int = {
    val at = bytes.length - 8
    val length = (0 until 4).map(i => (bytes(at + i) & 0xff) << (8 * i)).sum
    at - length
  }

  /** Puts a row group without rows at `index`, which may be past the last one. The example writer never writes one. */
  def insertEmptyRowGroup(file: Path, index: Int): Unit = changeFooter(file) { footer =>
    val model = footer.getRow_groups.get(index.min(footer.getRow_groupsSize - 1))
    val empty = new RowGroup(model)
    empty.setNum_rows(0).setTotal_byte_size(0).setTotal_compressed_size(0)
    empty.getColumns.asScala.foreach { column =>
      column.unsetOffset_index_offset()
      column.unsetOffset_index_length()
      column.unsetColumn_index_offset()
      column.unsetColumn_index_length()
      val meta = column.getMeta_data
      meta.setNum_values(0).setTotal_compressed_size(0).setTotal_uncompressed_size(0)
      meta.unsetStatistics()
      meta.unsetDictionary_page_offset()
    }
    footer.getRow_groups.add(index, empty)
    footer.getRow_groups.asScala.zipWithIndex.foreach { case (group, ordinal) => group.setOrdinal(ordinal.toShort) }
  }
}
