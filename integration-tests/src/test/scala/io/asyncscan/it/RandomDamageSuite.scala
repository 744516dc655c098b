// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{ColumnChunk, FileMetaData}
import org.apache.spark.sql.types.StructType

/** Parquet files of which one was damaged: what Spark's own reader says of it, rows or an error, is what has to be said. */
abstract class RandomDamageSuite(store: Store) extends RandomParquetSuite(store) {
  import RandomDamageSuite._
  import RandomSuite._

  override protected def missesAllowed: Boolean = true

  override protected def oneHasRowsOf: Int = 6

  override def round(dice: Dice): Round = {
    // Not a limit: which task meets the damage first is not a reader's to promise.
    val round = Iterator.continually(super.round(dice)).find(!_.description.contains(": limit ")).get
    val damage = dice.of[Damage](Truncated, Flipped, Zeroed, Misdirected, Misdirected)
    // Of the files as they were: what a table would know of them.
    var known: Option[StructType] = None
    round.copy(
      write = dir => {
        round.write(dir)
        known = round.schema(dir.toUri.toString)
        damage(dice.one(filesOf(dir)), dice)
      },
      schema = _ => known,
      // Where a dictionary or a bloom filter does not pay, asyncscan's planner looks at neither, and not at their damage.
      options = round.options ++ Seq("parquet.filter.dictionary.enabled" -> "false", "parquet.filter.bloom.enabled" -> "false"),
      confs = round.confs ++ dice.option(30, "spark.sql.files.ignoreCorruptFiles", "true"),
      description = s"${round.description}, one file $damage",
      // Nor how far a file is read before.
      counted = false,
      // Where a file that is skipped was cut says what is lost with it.
      cutAlike = true
    )
  }

  private def filesOf(dir: Path): Seq[Path] = {
    val all = Files.walk(dir)
    try all.filter(_.toString.endsWith(".parquet")).sorted().iterator.asScala.toVector
    finally all.close()
  }
}

object RandomDamageSuite {

  sealed trait Damage {
    def apply(file: Path, dice: Dice): Unit
  }

  /** The end is missing, as after a writer that died. */
  case object Truncated extends Damage {
    override def apply(file: Path, dice: Dice): Unit = {
      val bytes = Files.readAllBytes(file)
      Files.write(file, bytes.take(if (dice.chance(30)) dice.below(20) else dice.below(bytes.length)))
      ()
    }
  }

  /** Some bits are others. */
  case object Flipped extends Damage {
    override def apply(file: Path, dice: Dice): Unit = {
      val bytes = Files.readAllBytes(file)
      val from = if (dice.chance(50)) 0 else ParquetFiles.footerStart(bytes)
      (0 to dice.below(4)).foreach { _ =>
        val at = from + dice.below(bytes.length - from)
        bytes(at) = (bytes(at) ^ (1 << dice.below(8))).toByte
      }
      Files.write(file, bytes)
      ()
    }
  }

  /** A block is zeros, as after a disk that lost it. */
  case object Zeroed extends Damage {
    override def apply(file: Path, dice: Dice): Unit = {
      val bytes = Files.readAllBytes(file)
      val from = dice.below(bytes.length)
      java.util.Arrays.fill(bytes, from, (from + 1 + dice.below(512)).min(bytes.length), 0.toByte)
      Files.write(file, bytes)
      ()
    }
  }

  /** A footer that can be read and says what is not so. */
  case object Misdirected extends Damage {
    override def apply(file: Path, dice: Dice): Unit = ParquetFiles.changeFooter(file) { footer =>
      (0 to dice.below(2)).foreach { _ =>
        if (footer.getRow_groupsSize == 0) footer.setNum_rows(dice.of(1, 1000)) else misdirect(footer, dice)
        ()
      }
    }

    private def misdirect(footer: FileMetaData, dice: Dice): Unit = {
      val group = dice.one(footer.getRow_groups.asScala.toSeq)
      val chunk = dice.one(group.getColumns.asScala.toSeq)
      val meta = chunk.getMeta_data
      def other(value: Long): Long = dice.of(0L, -1L, value + 1, value - 1, value * 2, value / 2, value + 1000, 64L << 20, Long.MaxValue)
      // Without columns Spark's reader hands out as many rows as it is told.
      def otherRows(rows: Long): Long = other(rows).min(rows + 100000)
      dice.below(9) match {
        case 0 => meta.setTotal_compressed_size(other(meta.getTotal_compressed_size))
        case 1 => meta.setData_page_offset(other(meta.getData_page_offset))
        case 2 => meta.setDictionary_page_offset(other(meta.getDictionary_page_offset))
        case 3 => meta.setNum_values(other(meta.getNum_values))
        case 4 => group.setNum_rows(otherRows(group.getNum_rows))
        case 5 => group.setTotal_compressed_size(other(group.getTotal_compressed_size))
        case 6 => group.setFile_offset(other(group.getFile_offset))
        case 7 => pageIndex(chunk, other(_))
        case _ => footer.getRow_groups.remove(group)
      }
      ()
    }

    private def pageIndex(chunk: ColumnChunk, other: Long => Long): Unit = {
      chunk.setOffset_index_offset(other(chunk.getOffset_index_offset))
      chunk.setColumn_index_length(other(chunk.getColumn_index_length.toLong).toInt)
      ()
    }
  }
}

class FileRandomDamageSuite extends RandomDamageSuite(FileStore)
class S3aRandomDamageSuite extends RandomDamageSuite(S3aStore.main)
