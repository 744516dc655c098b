// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.math.{BigDecimal, BigInteger}
import java.nio.file.{Files, Path}
import java.time.{Instant, LocalDate}

import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.NanoTime
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.types._

/** A dataset of Parquet files whose schema, values, layout and encodings are chosen at random. */
final class RandomParquet(dice: Dice) {
  import RandomParquet._

  /** Whether files lie in directories of two partition columns. */
  val partitioned: Boolean = dice.chance(40)

  val columns: Seq[Column] = (0 to dice.below(7)).map { i =>
    val kind = dice.one(kinds)
    val required = dice.chance(25)
    // What some files lack has the prefix of what need not be read, see Parity.
    val droppable = i > 0 && !required && dice.chance(20)
    Column(if (droppable) s"p_x$i" else s"c$i", kind, required, droppable)
  }

  /** What can be compared: columns of one value, and fields of structs. */
  val leaves: Seq[Leaf] = columns.flatMap(column => column.kind.leaves.map(leaf => leaf.copy(path = column.name + leaf.path)))

  /** Writes the files. */
  def write(dir: Path): Unit = (0 to dice.below(4)).foreach { i =>
    val place =
      if (partitioned) dir.resolve(s"p_k=${dice.of("1", "2", "__HIVE_DEFAULT_PARTITION__")}").resolve(s"p_t=${dice.of("a", "b")}") else dir
    val kept = columns.filter(column => !column.droppable || i == 0 || dice.chance(50))
    file(Files.createDirectories(place).resolve(s"part-$i.parquet"), kept)
  }

  /** What a table may say of these files that were written before: fewer and more columns, in another order, and wider types. */
  def evolved(schema: StructType): StructType = {
    val fields = dice.some(schema.fields.toSeq).map { field =>
      val wider = field.dataType match {
        case IntegerType => dice.of(LongType, DoubleType, DecimalType(12, 0))
        case ByteType => dice.of(IntegerType, LongType)
        case FloatType => DoubleType
        case DateType => TimestampNTZType
        case decimal: DecimalType if decimal.precision < 10 => DecimalType(decimal.precision + 6, decimal.scale + dice.of(0, 2))
        case struct: StructType => StructType(dice.some(struct.fields.toSeq))
        case other => other
      }
      field.copy(dataType = if (dice.chance(30)) wider else field.dataType)
    }
    val turned = dice.below(fields.size)
    val more = if (dice.chance(30)) Seq(StructField("p_more", StringType)) else Nil
    StructType(fields.drop(turned) ++ more ++ fields.take(turned))
  }

  private def file(file: Path, kept: Seq[Column]): Unit = {
    val fields = kept.map(column => s"${if (column.required) "required" else "optional"} ${column.kind.field(column.name)}")
    val schema = MessageTypeParser.parseMessageType(fields.mkString("message m { ", " ", " }"))
    val fills = kept.map(column => (column, order(), absence(column)))
    val rows = dice.of(0, 1, 30, 500, 3000)
    ParquetFiles.write(file, schema, tuning()) {
      Iterator.tabulate(rows) { row => (group: Group) =>
        fills.foreach { case (column, value, absent) => if (!absent(row)) column.kind.fill(group, column.name, value(row)) }
      }
    }
  }

  /** How the numbers that a column's values are made of follow each other. */
  private def order(): Int => Int = {
    val salt = dice.below(1 << 20)
    val few = 1 + dice.below(40)
    dice.of[Int => Int](row => row, _ => salt % 50, row => scatter(row + salt) % few, row => scatter(row + salt) % 4000, row => row / few)
  }

  private def absence(column: Column): Int => Boolean =
    if (column.required) _ => false
    else {
      val run = 1 + dice.below(200)
      dice.of[Int => Boolean](_ => false, _ => true, row => row % 3 == 0, row => row % 97 != 0, row => row / run % 2 == 0)
    }

  private def tuning(): ParquetFiles.Tuning = {
    val size = if (dice.chance(80)) ParquetFiles.small(dice.of(10, 100, 700, 100000), dice.of(3, 50, 1000)) else ParquetFiles.plain
    val version = dice.of(WriterVersion.PARQUET_1_0, WriterVersion.PARQUET_2_0)
    val codec = dice.of(
      CompressionCodecName.UNCOMPRESSED,
      CompressionCodecName.SNAPPY,
      CompressionCodecName.GZIP,
      CompressionCodecName.ZSTD,
      CompressionCodecName.LZ4_RAW
    )
    val dictionary = dice.chance(60)
    val bloom = dice.chance(30)
    val checksums = dice.chance(30)
    size.and(
      _.withWriterVersion(version)
        .withCompressionCodec(codec)
        .withDictionaryEncoding(dictionary)
        .withBloomFilterEnabled(bloom)
        // The writer holds those of all row groups until the end, at 1 MiB each.
        .withMaxBloomFilterBytes(1024)
        .withPageWriteChecksumEnabled(checksums)
    )
  }
}

object RandomParquet {

  /** Something a predicate can compare, by its path, with literals of numbers. */
  final case class Leaf(path: String, literal: Int => String, text: Boolean = false)

  final case class Column(name: String, kind: Kind, required: Boolean, droppable: Boolean)

  /** A type, and how its values are made of numbers. */
  final case class Kind(field: String => String, leaves: Seq[Leaf], fill: (Group, String, Int) => Unit)

  private def scatter(number: Int): Int = (number * 0x9e3779b9) >>> 8

  private def simple(field: String, literal: Int => String, text: Boolean = false)(fill: (Group, String, Int) => Unit): Kind =
    Kind(name => field.replace("%", name) + ";", Seq(Leaf("", literal, text)), fill)

  private def text(i: Int): String = i % 29 match {
    case 0 => ""
    case 1 => "x" * (i % 5000)
    case 2 => s"日本$i"
    case _ => s"t$i"
  }

  private def float(i: Int): Double = i % 31 match {
    case 0 => Double.NaN
    case 1 => -0.0
    case 2 => Double.NegativeInfinity
    case _ => i / 4.0
  }

  private def date(i: Int): LocalDate = LocalDate.ofEpochDay(i * 5L - 3000)

  private def instant(i: Int): Instant = Instant.ofEpochSecond(i * 7201L, 1000L * i)

  private def fixed(unscaled: BigInteger, length: Int): Binary = {
    val short = unscaled.toByteArray
    val long = Array.fill(length)(if (unscaled.signum < 0) -1.toByte else 0.toByte)
    System.arraycopy(short, 0, long, length - short.length, short.length)
    Binary.fromConstantByteArray(long)
  }

  private def wide(i: Int): BigDecimal = new BigDecimal(BigInteger.valueOf(i - 100L).pow(5), 10)

  private val number: Int => String = i => i.toString

  val kinds: Seq[Kind] = Seq(
    simple("int32 %", number)((group, name, i) => group.append(name, i)),
    simple("int64 %", i => s"${i * 1000003L}L")((group, name, i) => group.append(name, i * 1000003L)),
    simple("int32 % (INTEGER(8,true))", i => s"${i % 128}Y")((group, name, i) => group.append(name, i % 128)),
    simple("int32 % (INTEGER(32,false))", number)((group, name, i) => group.append(name, i)),
    simple("boolean %", i => s"${i % 2 == 0}")((group, name, i) => group.append(name, i % 2 == 0)),
    simple("float %", i => s"CAST('${float(i)}' AS FLOAT)")((group, name, i) => group.append(name, float(i).toFloat)),
    simple("double %", i => s"CAST('${float(i)}' AS DOUBLE)")((group, name, i) => group.append(name, float(i))),
    simple("binary % (STRING)", i => s"'${text(i)}'", text = true)((group, name, i) => group.append(name, text(i))),
    simple("binary %", i => s"CAST('${text(i)}' AS BINARY)")((group, name, i) => group.append(name, Binary.fromString(text(i)))),
    simple("int32 % (DECIMAL(9,2))", i => s"${BigDecimal.valueOf(i, 2)}BD")((group, name, i) => group.append(name, i)),
    simple("int64 % (DECIMAL(18,3))", i => s"${BigDecimal.valueOf(i * 999L, 3)}BD")((group, name, i) => group.append(name, i * 999L)),
    simple("fixed_len_byte_array(16) % (DECIMAL(38,10))", i => s"CAST('${wide(i).toPlainString}' AS DECIMAL(38,10))")((group, name, i) =>
      group.append(name, fixed(wide(i).unscaledValue, 16))
    ),
    simple("int32 % (DATE)", i => s"DATE'${date(i)}'")((group, name, i) => group.append(name, date(i).toEpochDay.toInt)),
    simple("int64 % (TIMESTAMP(MICROS,true))", i => s"TIMESTAMP'${instant(i)}'")((group, name, i) => group.append(name, micros(i))),
    simple("int64 % (TIMESTAMP(MILLIS,true))", i => s"TIMESTAMP'${Instant.ofEpochMilli(millis(i))}'")((group, name, i) =>
      group.append(name, millis(i))
    ),
    simple("int96 %", i => s"TIMESTAMP'${Instant.ofEpochMilli(millis(i))}'")((group, name, i) => group.append(name, julian(millis(i)))),
    simple("int64 % (TIMESTAMP(MICROS,false))", i => s"TIMESTAMP_NTZ'${instant(i).toString.stripSuffix("Z")}'")((group, name, i) =>
      group.append(name, micros(i))
    ),
    Kind(
      name => s"group $name (LIST) { repeated group list { optional int32 element; } }",
      Nil,
      (group, name, i) => {
        val list = group.addGroup(name)
        (0 until i % 4).foreach { k =>
          val element = list.addGroup("list")
          if ((i + k) % 5 != 0) element.append("element", i + k)
        }
      }
    ),
    Kind(
      name => s"group $name (MAP) { repeated group key_value { required binary key (STRING); optional int64 value; } }",
      Nil,
      (group, name, i) => {
        val map = group.addGroup(name)
        (0 until i % 3).foreach { k =>
          val entry = map.addGroup("key_value").append("key", s"k$k")
          if (i % 4 != 0) entry.append("value", i.toLong)
        }
      }
    ),
    Kind(
      name => s"group $name { optional int32 a; optional binary b (STRING); optional group c { required int64 d; } }",
      Seq(Leaf(".a", number), Leaf(".b", i => s"'${text(i)}'", text = true), Leaf(".c.d", number)),
      (group, name, i) => {
        val struct = group.addGroup(name)
        if (i % 6 != 0) struct.append("a", i)
        if (i % 5 != 0) struct.append("b", text(i))
        if (i % 4 != 0) struct.addGroup("c").append("d", i.toLong)
        ()
      }
    ),
    // As writers did before there were three levels.
    Kind(
      name => s"group $name (LIST) { repeated int64 array; }",
      Nil,
      (group, name, i) => {
        val list = group.addGroup(name)
        (0 until i % 5).foreach(k => list.append("array", i.toLong * k))
      }
    ),
    Kind(
      name => s"group $name (LIST) { repeated group list { optional group element { optional int32 a; required group l (LIST) " +
        "{ repeated group list { optional binary element (STRING); } } } } }",
      Nil,
      (group, name, i) => {
        val outer = group.addGroup(name)
        (0 until i % 3).foreach { k =>
          val slot = outer.addGroup("list")
          if ((i + k) % 7 != 0) {
            val element = slot.addGroup("element")
            if (i % 2 == 0) element.append("a", i)
            val inner = element.addGroup("l")
            (0 to k).foreach(each => inner.addGroup("list").append("element", text(i + each)))
          }
        }
      }
    )
  )

  private def millis(i: Int): Long = i * 7201003L

  /** As of Impala and Hive: nanoseconds of a day, and the day as astronomers count it. */
  private def julian(millis: Long): NanoTime =
    new NanoTime((Math.floorDiv(millis, 86400000L) + 2440588).toInt, Math.floorMod(millis, 86400000L) * 1000000L)

  private def micros(i: Int): Long = instant(i).getEpochSecond * 1000000L + instant(i).getNano / 1000
}
