// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_16, UTF_16LE, UTF_8}

import org.apache.spark.sql.functions._

/** The options of Spark's CSV source, and what their values mean. */
abstract class CsvOptionsParitySuite(store: Store) extends CsvSuite(store) {
  private val header = Map("header" -> "true")
  private val inferred = header + ("inferSchema" -> "true")
  private val bom = Array(0xef, 0xbb, 0xbf).map(_.toByte)

  private def bytes(text: String, charset: Charset = UTF_8): Array[Byte] = text.getBytes(charset)

  /** The same in both ways of reading. */
  private def both(path: String, options: Map[String, String] = Map.empty, columns: Option[String] = None): Unit =
    Seq("false", "true").foreach { multiLine =>
      withClue(s"multiLine $multiLine: ") {
        assertSameAnswer(Seq(path), options + ("multiLine" -> multiLine), columns.flatMap(ddl))(identity)
      }
    }

  test("a byte order mark before the header") {
    val path = files("csv-bom")("a.csv" -> (bom ++ bytes("id,t\n1,x\n")), "b.csv" -> (bom ++ bytes("\"id\",t\n2,y\n")))
    both(path, header)
    both(path, inferred)
    both(path, header, Some("id int, t string"))
  }

  test("headers by file") {
    val path = files("csv-headers")(
      "a.csv" -> bytes("a,b\n1,2\n"),
      "b.csv" -> bytes(""),
      "c.csv" -> bytes("a,b\n"),
      "d.csv" -> bytes("a,b\n3,4"),
      "_hidden.csv" -> bytes("z\n"),
      ".dot.csv" -> bytes("z\n")
    )
    both(path, header)
    both(path, Map.empty, Some("a string, b string"))
    both(path, inferred)
    assert(assertParity(Seq(path), header, ddl("a int, b int"))(identity).rows.size == 2)
  }

  test("headers that do not fit the schema") {
    val path = text("csv-swapped", "b,a\n1,2\n")
    Seq("true", "false").foreach { enforce =>
      val options = header + ("enforceSchema" -> enforce)
      both(path, options, Some("a int, b int"))
      assertSameAnswer(Seq(path), options, ddl("a int, b int"))(_.agg(count(lit(1))))
    }
    both(text("csv-doubled", "a,A,,a\n1,2,3,4\n"), header)
    withConf("spark.sql.caseSensitive" -> "true")(both(text("csv-doubled", "a,A,,a\n1,2,3,4\n"), header))
  }

  test("blank lines, blanks and comments") {
    val path = text("csv-blank", "a,b\n\n1,x\n   \n,\n #3,c\n#4,d\n\u0000,e\n  5 , f \n")
    both(path, header)
    both(path, header + ("comment" -> "#"))
    Seq("true", "false").foreach(trim => both(path, header + ("ignoreLeadingWhiteSpace" -> trim) + ("ignoreTrailingWhiteSpace" -> "true")))
    both(text("csv-tabs", "1\t\t\t2\n\t3\t\t\n"), Map("sep" -> "\t", "ignoreLeadingWhiteSpace" -> "true", "ignoreTrailingWhiteSpace" -> "true"))
  }

  test("quotes, escapes and separators") {
    val path = text("csv-quotes", "\"a\"\"b\",1\n\"c\\\"d\",2\n'e,f',3\na\"b\"c,4\n\"x\\\\\",5\n")
    both(path)
    Seq("\"", "\\", "|").foreach(escape => both(path, Map("escape" -> escape)))
    both(path, Map("quote" -> "'"))
    both(path, Map("quote" -> ""))
    both(path, Map("charToEscapeQuoteEscaping" -> "\\"))
    Seq("STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "STOP_AT_DELIMITER", "SKIP_VALUE", "RAISE_ERROR")
      .foreach(handling => both(path, Map("unescapedQuoteHandling" -> handling)))
    both(text("csv-wide-sep", "1||2||3\n4||5||6\n"), Map("delimiter" -> "||"))
  }

  test("nulls and empty values") {
    val path = text("csv-nulls", "\"\",,NA,\"NA\",E\nnan,Inf,-,x,y\n")
    Seq("nullValue" -> "NA", "emptyValue" -> "E", "nanValue" -> "nan", "positiveInf" -> "-", "nullValue" -> "").foreach { option =>
      both(path, Map(option))
      both(path, Map(option), Some("a string, b double, c double, d string, e string"))
    }
  }

  test("numbers, dates and times") {
    val path = text("csv-dates", "1,  1,2020-1-2,01/02/2020\n2,2.5,2020-01-02T03:04:05Z,31.12.2021\n")
    val columns = Some("i int, x double, d date, t timestamp")
    both(path, Map.empty, columns)
    both(path, Map("ignoreLeadingWhiteSpace" -> "true"), Some("i int, j int, d string, t string"))
    both(path, Map("dateFormat" -> "dd.MM.yyyy", "timestampFormat" -> "dd/MM/yyyy"), columns)
    both(path, Map("timeZone" -> "Asia/Tokyo", "locale" -> "de"), columns)
    both(path, Map("inferSchema" -> "true", "preferDate" -> "false"))
    withConf("spark.sql.legacy.timeParserPolicy" -> "LEGACY")(both(path, Map("inferSchema" -> "true"), None))
  }

  test("limits") {
    val path = text("csv-limits", "12345678,1\n1234,2\n")
    both(path, Map("maxCharsPerColumn" -> "4"))
    both(path, Map("maxColumns" -> "1"))
    both(path, Map("inputBufferSize" -> "128"))
  }

  Seq(ISO_8859_1, Charset.forName("windows-1252"), Charset.forName("Shift_JIS")).foreach { charset =>
    test(s"the encoding $charset") {
      val path = files(s"csv-$charset")("a.csv" -> bytes((0 until 40).map(i => s"$i,é${"ñ" * i}日").mkString("\n"), charset))
      withConf("spark.sql.legacy.javaCharsets" -> "true") {
        both(path, Map("encoding" -> charset.name))
        both(path, Map("charset" -> charset.name, "inferSchema" -> "true"))
        cutBy(100)(assertParity(Seq(path), Map("encoding" -> charset.name), ddl("i int, t string"))(identity))
      }
    }
  }

  test("encodings of two bytes a character") {
    val path = files("csv-utf16")("a.csv" -> bytes("id,t\n1,ä\n2,日\n", UTF_16))
    assertParity(Seq(path), header ++ Map("encoding" -> "UTF-16", "multiLine" -> "true"))(identity)
    val little = files("csv-utf16le")("a.csv" -> bytes("id,t\n1,ä\n2,日\n", UTF_16LE))
    assertParity(Seq(little), inferred ++ Map("encoding" -> "UTF-16LE", "lineSep" -> "\n"))(identity)
    whenUnderTest {
      Seq(Map.empty[String, String], Map("lineSep" -> "\n")).foreach { more =>
        val refused = Parity.Problem(intercept[Exception](load(format, Seq(path), Map("encoding" -> "UTF-16") ++ more).collect()))
        Seq("UTF-16", "multiLine", "garbage").foreach(word => assert(refused.messages.contains(word), refused.trace))
        intercept[Exception](load(format, Seq(path), Map("encoding" -> "UTF-16") ++ more, ddl("a string")).collect())
      }
    }
  }

  test("inference and its samples") {
    val path = files("csv-infer")((0 until 4).map(f =>
      s"part-$f.csv" -> bytes("i,x,d,t,b\n" + (0 until 300).map(i => s"$i,${i * 1.5},2020-01-0${i % 9 + 1},t$i,${i % 2 == 0}\n").mkString + s"${f}9999999999,,,,\n")
    ): _*)
    both(path, inferred)
    Seq("0.02", "0.1", "0.5").foreach { ratio =>
      assertParity(Seq(path), inferred + ("samplingRatio" -> ratio))(_.limit(1))
      cutBy(2000)(assertParity(Seq(path), inferred + ("samplingRatio" -> ratio))(_.limit(1)))
    }
    assertSameError(Seq(path), inferred + ("samplingRatio" -> "0"))(identity)
    both(text("csv-nothing", ""), inferred)
    both(text("csv-only-header", "a,b\n"), inferred)
  }

  test("one variant a record") {
    assume(SparkHarness.sparkAtLeast(4, 1))
    val path = text("csv-variant", "id,t,x\n" + (0 until 60).map(i => s"$i,t$i,${i / 2.0}\n").mkString)
    Seq(header, Map.empty[String, String]).foreach { options =>
      val one = options + ("singleVariantColumn" -> "v")
      both(path, one)
      cutBy(150)(assertParity(Seq(path), one)(identity))
    }
  }

  test("options that are wrong") {
    val path = text("csv-wrong", "1,2\n")
    Seq("mode" -> "NONE", "header" -> "maybe", "quote" -> "''", "encoding" -> "UTF-99", "maxColumns" -> "x", "lineSep" -> "").foreach {
      option => assertSameAnswer(Seq(path), Map(option), ddl("a int, b int"))(identity)
    }
    assertSameError(Seq(path), schema = ddl("a array<int>"))(identity)
    assertSameError(Seq(path), schema = ddl("a int, A int"))(identity)
  }
}

class FileCsvOptionsParitySuite extends CsvOptionsParitySuite(FileStore)
class S3aCsvOptionsParitySuite extends CsvOptionsParitySuite(S3aStore.main)
