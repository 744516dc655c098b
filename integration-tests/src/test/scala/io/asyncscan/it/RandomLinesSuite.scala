// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.charset.Charset
import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Files of lines: random cells, quotes, line endings, encodings and damage, cut anywhere. */
abstract class RandomLinesSuite(store: Store) extends RandomSuite(store) {
  import RandomLinesSuite._
  import RandomSuite._

  protected def lines(dice: Dice): Lines

  override def round(dice: Dice): Round = {
    val kind = lines(dice)
    val contents = (0 to dice.below(4)).map(_ => kind.text(dice.of(0, 1, 3, 40, 400)).getBytes(Charset.forName(kind.charset)))
    val pack = dice.of("", "", "", "gz", "bz2")
    val damaged = !pack.isEmpty && dice.chance(20)
    val (query, description) = question(kind, dice)
    Round(
      dir => {
        contents.zipWithIndex.foreach { case (bytes, i) => write(dir, s"part-$i.${kind.ending}", pack, bytes) }
        if (damaged) damage(dir.resolve(s"part-${dice.below(contents.size)}.${kind.ending}.$pack"), dice)
      },
      kind.options,
      _ => kind.schema,
      Seq(
        // Not 0: Spark then cuts a file of one byte by steps of none.
        Some("spark.sql.files.openCostInBytes" -> dice.of("1", "1", "1000")),
        dice.option(20, "spark.sql.csv.parser.columnPruning.enabled", "false"),
        dice.option(20, "spark.sql.csv.filterPushdown.enabled", "false"),
        dice.option(20, "spark.sql.files.ignoreCorruptFiles", "true"),
        dice.option(20, "spark.sql.ansi.enabled", "false")
      ).flatten,
      Some(dice.of(1, 2, 7, 40)),
      readAgain = kind.ending == "json" && kind.options.contains("multiLine"),
      query,
      s"files of ${contents.map(_.length)} bytes $pack${if (damaged) ", one damaged" else ""}: $description",
      counted = !description.startsWith("limit"),
      // Of three bars, Hadoop's line reader takes the last two for the separator where a part begins at the second.
      cutAlike = kind.options.get("lineSep").contains("||")
    )
  }

  private def write(dir: Path, name: String, pack: String, bytes: Array[Byte]): Unit =
    pack match {
      case "" => Files.write(dir.resolve(name), bytes); ()
      case ending => Files.write(dir.resolve(s"$name.$ending"), packed(if (ending == "gz") "gzip" else "bzip2", bytes)); ()
    }

  /** The end is missing, or a bit is another. */
  private def damage(file: Path, dice: Dice): Unit = {
    val bytes = Files.readAllBytes(file)
    val at = dice.below(bytes.length)
    if (dice.chance(50)) Files.write(file, bytes.take(at))
    else Files.write(file, bytes.updated(at, (bytes(at) ^ (1 << dice.below(8))).toByte))
    ()
  }

  private def question(kind: Lines, dice: Dice): (DataFrame => DataFrame, String) = {
    val number = dice.below(100)
    val rows = dice.of(0, 1, 25)
    val kept = Seq.fill(10)(dice.chance(50))
    // Not by name: columns may have been inferred.
    dice.below(6) match {
      case 0 | 1 => (identity, "everything")
      case 2 => (_.agg(count(lit(1))), "count")
      case 3 => (frame => frame.select(frame.columns.toSeq.zip(kept).collect { case (name, true) => quoted(name) }: _*), s"columns $kept")
      case 4 => (_.limit(rows).agg(count(lit(1))), s"limit $rows")
      case _ =>
        (frame => frame.where(frame.columns.headOption.fold(lit(true))(name => quoted(name).cast("string") >= number.toString)), s"from $number")
    }
  }

  private def quoted(name: String) = col(s"`${name.replace("`", "``")}`")
}

object RandomLinesSuite {

  /** One kind of files: its options, its columns, and how a file of some rows looks. */
  final case class Lines(options: Map[String, String], schema: Option[StructType], ending: String, charset: String)(
      val text: Int => String
  )
}

abstract class RandomCsvSuite(store: Store) extends RandomLinesSuite(store) {
  import RandomLinesSuite._

  override protected def lines(dice: Dice): Lines = {
    val separator = dice.of(",", ",", ";", "\t", "||")
    val quote = dice.of("\"", "\"", "'")
    val escape = dice.of("\\", "\"", quote)
    val newline = dice.of("\n", "\n", "\r\n", "\r")
    val charset = dice.of("UTF-8", "UTF-8", "UTF-8", "ISO-8859-1")
    val types = (0 to dice.below(5)).map(_ => dice.of("int", "string", "string", "double", "date", "decimal(7,2)", "boolean"))
    val header = dice.chance(50)
    val corrupt = dice.chance(25)
    val multiLine = dice.chance(30)
    val names = types.indices.map(i => s"c$i")
    val options = Seq(
      Some("sep" -> separator),
      Some("quote" -> quote),
      Some("escape" -> escape),
      Some("header" -> header.toString),
      Some("multiLine" -> multiLine.toString),
      if (charset == "UTF-8") None else Some("encoding" -> charset),
      dice.option(20, "lineSep", newline.take(1), "\n", "~"),
      dice.option(30, "mode", "DROPMALFORMED", "FAILFAST"),
      dice.option(20, "comment", "#"),
      dice.option(20, "ignoreLeadingWhiteSpace", "true"),
      dice.option(20, "ignoreTrailingWhiteSpace", "true"),
      dice.option(20, "nullValue", "null", "7"),
      dice.option(20, "emptyValue", "empty"),
      dice.option(20, "enforceSchema", "false"),
      dice.option(20, "unescapedQuoteHandling", "STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "SKIP_VALUE", "RAISE_ERROR"),
      dice.option(5, "maxCharsPerColumn", "100"),
      dice.option(40, "inferSchema", "true"),
      if (corrupt) Some("columnNameOfCorruptRecord" -> "broken") else None
    ).flatten.toMap
    val schema =
      if (options.contains("inferSchema") || dice.chance(15)) None
      else Some(StructType.fromDDL((names.zip(types).map { case (name, kind) => s"$name $kind" } ++ (if (corrupt) Seq("broken string") else Nil)).mkString(", ")))
    Lines(options, schema, "csv", charset) { rows =>
      val head = if (header) Seq(names.mkString(separator)) else Nil
      val body = (0 until rows).map { row =>
        val cells = types.map(cell(_, row, separator, quote, escape, newline, dice))
        dice.below(40) match {
          case 0 => ""
          case 1 => "#" + cells.mkString(separator)
          case 2 => cells.dropRight(1).mkString(separator)
          case 3 => (cells :+ "more").mkString(separator)
          case _ => cells.mkString(separator)
        }
      }
      (head ++ body).mkString(newline) + (if (dice.chance(70)) newline else "")
    }
  }

  private def cell(kind: String, row: Int, separator: String, quote: String, escape: String, newline: String, dice: Dice): String =
    if (dice.chance(4)) dice.of("", "null", " 7 ", "x", quote, s"$quote$quote", escape)
    else
      kind match {
        case "int" => row.toString
        case "double" => dice.of(s"${row / 4.0}", "NaN", "1e5")
        case "date" => s"20${10 + row % 20}-0${1 + row % 9}-1${row % 10}"
        case "decimal(7,2)" => s"$row.5"
        case "boolean" => dice.of("true", "FALSE")
        case _ =>
          dice.below(8) match {
            case 0 => s"$quote$separator$escape$quote$quote"
            case 1 => s"${quote}a$newline${newline}b$row$quote"
            case 2 => "é" * dice.below(60)
            case 3 => " padded "
            case 4 => s"$quote${"q" * dice.below(200)}$quote"
            case 5 => s"""in${quote}side"""
            case _ => s"t$row"
          }
      }
}

abstract class RandomJsonSuite(store: Store) extends RandomLinesSuite(store) {
  import RandomLinesSuite._

  override def reference: String = "json"

  override protected def lines(dice: Dice): Lines = {
    val newline = dice.of("\n", "\n", "\r\n")
    val array = dice.chance(20)
    val corrupt = dice.chance(40)
    val options = Seq(
      if (array) Some("multiLine" -> "true") else None,
      dice.option(20, "lineSep", newline),
      dice.option(30, "mode", "DROPMALFORMED", "FAILFAST"),
      dice.option(20, "primitivesAsString", "true"),
      dice.option(20, "allowSingleQuotes", "false"),
      dice.option(20, "allowUnquotedFieldNames", "true"),
      dice.option(20, "dropFieldIfAllNull", "true"),
      dice.option(20, "encoding", "UTF-8"),
      if (corrupt) Some("columnNameOfCorruptRecord" -> "broken") else None
    ).flatten.toMap
    val columns = "a int, b string, c struct<x: double, y: array<int>>, d map<string, string>" + (if (corrupt) ", broken string" else "")
    val schema = if (dice.chance(40)) None else Some(StructType.fromDDL(columns))
    Lines(options, schema, "json", "UTF-8") { rows =>
      val all = (0 until rows).map(record(_, dice))
      if (array) all.mkString("[", "," + newline, "]") else all.mkString(newline) + (if (dice.chance(70)) newline else "")
    }
  }

  private def record(row: Int, dice: Dice): String = dice.below(12) match {
    case 0 => s"""{"a": $row, "b": "日本\\u00e9\\n${"z" * dice.below(300)}"}"""
    case 1 => s"""{"b": null, "c": {"x": ${row / 8.0}, "y": [1, $row]}}"""
    case 2 => s"""{"d": {"k": "v$row", "l": null}, "a": $row}"""
    case 3 => s"""{'a': $row}"""
    case 4 if dice.chance(30) => s"""{"a": $row, "b": "torn"""
    case 5 if dice.chance(30) => ""
    case 6 if dice.chance(30) => s"""{"a": "no number", "b": $row}"""
    case _ => s"""{"a": $row, "b": "t$row", "c": {"y": []}}"""
  }
}

abstract class RandomTextSuite(store: Store) extends RandomLinesSuite(store) {
  import RandomLinesSuite._

  override def reference: String = "text"

  override protected def lines(dice: Dice): Lines = {
    val newline = dice.of("\n", "\r\n", "\r", "||")
    val options = Seq(
      if (newline == "||") Some("lineSep" -> newline) else dice.option(20, "lineSep", "\n"),
      dice.option(20, "wholetext", "true")
    ).flatten.toMap
    Lines(options, None, "txt", "UTF-8") { rows =>
      (0 until rows).map(row => dice.of(s"$row", "", "é" * dice.below(90), " |" + newline + "| ")).mkString(newline) +
        (if (dice.chance(70)) newline else "")
    }
  }
}

class FileRandomCsvSuite extends RandomCsvSuite(FileStore)
class S3aRandomCsvSuite extends RandomCsvSuite(S3aStore.main)
class FileRandomJsonSuite extends RandomJsonSuite(FileStore)
class S3aRandomJsonSuite extends RandomJsonSuite(S3aStore.main)
class FileRandomTextSuite extends RandomTextSuite(FileStore)
class S3aRandomTextSuite extends RandomTextSuite(S3aStore.main)
