// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import scala.util.{Success, Try}

import io.asyncscan.reader.fetch.ExecutorResources
import org.apache.spark.sql.types.StructType

/** Schemas that are inferred from the files' contents: the same as Spark's, out of bytes that asyncscan fetched. */
abstract class InferenceSuite(store: Store) extends CsvSuite(store) with NothingLeft {
  private def csv(rows: Int, last: String): String =
    "a,b,c\n" + (0 until rows).map(i => s"$i,t$i,2024-01-0${i % 9 + 1}\n").mkString + last

  private def json(rows: Int, last: String): String =
    (0 until rows).map(i => s"""{"a": $i, "n": {"x": "t$i", "y": [$i]}}""").mkString("", "\n", "\n") + last

  private def infer(format: String, path: String, of: String, options: Map[String, String]): StructType = {
    val typed = if (format == of) Map.empty[String, String] else Map("fileFormat" -> of)
    spark.read.format(format).options(typed ++ options).load(path).schema
  }

  private def fetched: Long = ExecutorResources.state().totals.bytesFetched

  /** @return how often asyncscan fetched the files */
  private def same(path: String, of: String, options: (String, String)*): Double = {
    val expected = infer(of, path, of, options.toMap)
    val before = fetched
    assert(infer(if (SparkHarness.underTest) SparkHarness.format else of, path, of, options.toMap) == expected)
    nothingLeft()
    (fetched - before).toDouble / store.files(path).map(store.length).sum
  }

  /** What is inferred has a pass over the files behind it, and no byte was fetched by Spark. */
  private def readAhead(passes: Double): Unit = whenUnderTest(assert(passes >= 1 && passes < 3))

  private val csvOptions = Seq("header" -> "true", "inferSchema" -> "true")

  test("CSV: lines, records that span lines, compressed") {
    val path = files("infer-csv")("a.csv" -> csv(900, "").getBytes(UTF_8), "b.csv" -> csv(10, "1.5,\"x\ny\",z\n").getBytes(UTF_8))
    readAhead(same(path, "csv", csvOptions: _*))
    readAhead(same(path, "csv", csvOptions :+ ("multiLine" -> "true"): _*))
    val gz = files("infer-csv-gz")("a.csv.gz" -> packed("gzip", csv(3000, "").getBytes(UTF_8)))
    readAhead(same(gz, "csv", csvOptions: _*))
    readAhead(same(gz, "csv", csvOptions :+ ("multiLine" -> "true"): _*))
  }

  test("JSON: lines, documents, compressed") {
    val path = files("infer-json")("a.json" -> json(900, "").getBytes(UTF_8), "b.json" -> json(10, """{"a": 0.5, "z": true}""").getBytes(UTF_8))
    readAhead(same(path, "json"))
    readAhead(same(path, "json", "multiLine" -> "true"))
    val gz = files("infer-json-gz")("a.json.gz" -> packed("gzip", json(3000, "").getBytes(UTF_8)))
    readAhead(same(gz, "json"))
    readAhead(same(gz, "json", "multiLine" -> "true"))
  }

  test("many files, samples of them, and parts of files") {
    val csvs = files("infer-csv-many")((0 until 20).map(i => s"$i.csv" -> csv(i, if (i % 13 == 7) "1.5,x,y\n" else "").getBytes(UTF_8)): _*)
    val jsons = files("infer-json-many")((0 until 20).map(i => s"$i.json" -> json(i, s"""{"k${i % 13}": $i}""").getBytes(UTF_8)): _*)
    Seq("0.5", "0.05").foreach { ratio =>
      Seq("false", "true").foreach { multiLine =>
        withClue(s"ratio $ratio, multiLine $multiLine: ") {
          val options = Seq("samplingRatio" -> ratio, "multiLine" -> multiLine)
          same(csvs, "csv", csvOptions ++ options: _*)
          same(jsons, "json", options: _*)
        }
      }
    }
    cutBy(300) {
      same(csvs, "csv", csvOptions :+ ("samplingRatio" -> "0.3"): _*)
      same(jsons, "json", "samplingRatio" -> "0.3")
    }
  }

  test("bytes that are no text, encodings, line separators") {
    val latin = files("infer-json-bytes")("a.json" -> "{\"é\": 1}\n{\"b\": \"é\"}\n".getBytes(ISO_8859_1), "b.json" -> "{\"é\": 2.5}\n".getBytes(UTF_8))
    same(latin, "json")
    same(latin, "json", "encoding" -> "ISO-8859-1", "lineSep" -> "\n")
    same(latin, "json", "multiLine" -> "true", "encoding" -> "ISO-8859-1")
    val wide = files("infer-json-wide")("a.json" -> json(50, "").getBytes(Charset.forName("UTF-16LE")))
    same(wide, "json", "encoding" -> "UTF-16LE", "lineSep" -> "\n")
    same(wide, "json", "multiLine" -> "true", "encoding" -> "UTF-16LE")
    val separated = files("infer-json-separated")("a.json" -> json(50, "").replace('\n', '#').getBytes(UTF_8))
    same(separated, "json", "lineSep" -> "#")
    same(separated, "json", "singleVariantColumn" -> "v")
  }

  /** The same schema or a failure, with files that are corrupt ignored and not; nothing is left in either case. */
  private def sameDespiteDamage(path: String, of: String, options: (String, String)*): Unit =
    for (multiLine <- Seq("false", "true"); ignore <- Seq("false", "true"))
      withClue(s"$path, multiLine $multiLine, ignore $ignore: ") {
        val all = (options ++ Seq("multiLine" -> multiLine, "ignoreCorruptFiles" -> ignore)).toMap
        val expected = Try(infer(of, path, of, all))
        val actual = Try(infer(if (SparkHarness.underTest) SparkHarness.format else of, path, of, all))
        expected match {
          case Success(schema) => assert(actual.get == schema)
          case _ => assert(actual.isFailure, s"Spark says ${expected.failed.get}")
        }
        nothingLeft()
      }

  test("damaged files") {
    val texts = Seq("csv" -> csv(2000, "").getBytes(UTF_8), "json" -> json(2000, "").getBytes(UTF_8))
    for ((of, text) <- texts; (codec, ending) <- Seq("gzip" -> "gz", "bzip2" -> "bz2")) {
      val whole = packed(codec, text)
      val options = if (of == "csv") csvOptions else Seq.empty
      // Damage that is met by whoever opens the file, by whoever reads it, and by nobody.
      Seq("opening" -> "no header".getBytes(UTF_8), "reading" -> whole.take(whole.length / 2), "empty" -> Array.emptyByteArray)
        .foreach { case (where, bad) =>
          val path = files(s"infer-damaged-$where-$of-$ending")(s"a.$of.$ending" -> whole, s"b.$of.$ending" -> bad)
          sameDespiteDamage(path, of, options: _*)
        }
    }
  }

  test("files that Spark does not look into") {
    for (of <- Seq("csv", "json")) {
      val text = (if (of == "csv") csv(2000, "") else json(2000, "")).getBytes(UTF_8)
      val other = (if (of == "csv") "a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n" else """{"other": 1}""").getBytes(UTF_8)
      val options = if (of == "csv") csvOptions else Seq.empty
      sameDespiteDamage(files(s"infer-beside-$of")(s"a.$of" -> text, "_metadata" -> other, "_SUCCESS" -> other), of, options: _*)
      sameDespiteDamage(files(s"infer-nothing-$of")(s"a.$of.gz" -> Array.emptyByteArray), of, options: _*)
    }
  }

  test("a file larger than a request, and its options") {
    assume(SparkHarness.underTest)
    val path = files("infer-large")("a.json" -> json(60000, """{"end": 1}]""").replace('\n', ',').prependedAll("[").getBytes(UTF_8))
    val before = ExecutorResources.state().totals.requests
    readAhead(same(path, "json", "multiLine" -> "true", "partSize" -> "65536", "readAheadDepth" -> "3"))
    assert(ExecutorResources.state().totals.requests - before >= store.length(store.files(path).head) / 65536)
  }
}

class FileInferenceSuite extends InferenceSuite(FileStore)
class S3aInferenceSuite extends InferenceSuite(S3aStore.main)
