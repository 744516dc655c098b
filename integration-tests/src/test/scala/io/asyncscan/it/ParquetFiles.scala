// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.format.{FileMetaData, RowGroup, Util}
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.LocalOutputFile
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/** Parquet files that Spark cannot write, by parquet-java's example writer and by hand. */
object ParquetFiles {

  def write(file: Path, schema: String, tune: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder = identity)(
      rows: (Group => Unit)*
  ): Unit = write(file, MessageTypeParser.parseMessageType(schema), tune)(rows.iterator)

  def write(file: Path, schema: MessageType, tune: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder)(
      rows: Iterator[Group => Unit]
  ): Unit = {
    val builder = ExampleParquetWriter.builder(new LocalOutputFile(file)).withType(schema).withConf(new Configuration(false))
    val writer = tune(builder).build()
    try
      rows.foreach { fill =>
        val group = new SimpleGroup(schema)
        fill(group)
        writer.write(group)
      }
    finally writer.close()
  }

  /** Row groups and pages of so few rows that a small file has many of both. */
  def small(rowsInGroup: Int, rowsInPage: Int)(builder: ExampleParquetWriter.Builder): ExampleParquetWriter.Builder =
    builder
      // The writer of Spark 4.0 has no limit in rows. Any row group is too large for this one, and it is asked, when
      // a row group has this many rows, whether it is too large.
      .withRowGroupSize(1L)
      .withMinRowCountForPageSizeCheck(rowsInGroup)
      .withMaxRowCountForPageSizeCheck(rowsInGroup)
      .withPageRowCountLimit(rowsInPage)

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
