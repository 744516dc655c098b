// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import scala.util.control.NonFatal

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.types.StructType
import org.scalatest.exceptions.TestFailedException

/** Files, queries and settings chosen at random, a round for each seed: by Spark's own reader, by asyncscan, and with the session
  * extension. All have to answer the same, be it rows or an error.
  *
  * `-Dasyncscan.random.rounds` says how many rounds, `-Dasyncscan.random.seed` with which seed they begin.
  */
abstract class RandomSuite(store: Store) extends CsvSuite(store) with ExtensionChecks with NothingLeft {
  import RandomSuite._

  private val rounds = Integer.getInteger("asyncscan.random.rounds", 12).intValue
  private val first = java.lang.Long.getLong("asyncscan.random.seed", 1L).longValue
  private val answered = new AtomicInteger

  def round(dice: Dice): Round

  (0 until rounds).foreach { i =>
    val seed = first + i
    test(s"seed $seed")(play(new Dice(seed)))
  }

  /** One of how many rounds has to have rows. */
  protected def oneHasRowsOf: Int = 3

  test(s"one of $oneHasRowsOf rounds has rows") {
    assume(rounds >= 10)
    assert(answered.get * oneHasRowsOf >= rounds, "rounds that end with an error, or without rows, say little")
  }

  private def play(dice: Dice): Unit = {
    val round = this.round(dice)
    val local = Files.createTempDirectory(SparkHarness.scratch, "random-")
    val path = store.fresh("random")
    try {
      round.write(local)
      store.put(local, path)
      // Files are cut into parts and not into pieces of so many bytes: thousands of tasks say no more than forty.
      val longest = store.files(path).map(store.length).maxOption.getOrElse(0L)
      def part(parts: Int) = (longest / parts + 1).toString
      val confs = round.confs ++ round.parts.map(parts => "spark.sql.files.maxPartitionBytes" -> part(parts))
      val unsuited = (if (round.readAgain) Seq("partSize") else Nil) ++ (if (round.cutAlike) Seq("maxPartitionBytes") else Nil)
      val tuning = tunings(dice) ++ dice.option(40, "maxPartitionBytes", part(3), part(40)) -- unsuited
      val extension = tuning.map { case (key, value) => s"spark.asyncscan.$key" -> value }
      withClue(s"seed ${dice.seed}, ${round.description}, options ${round.options}, settings $confs, tuning $tuning:\n") {
        withConf(confs: _*) {
          val schema = round.schema(path)
          val expected = outcome(load(reference, Seq(path), round.options, schema), round)
          same(expected, disturbed(dice)(outcome(load(format, Seq(path), round.options ++ tuned(tuning), schema), round)))
          whenUnderTest(extended(expected, round, schema.isDefined, dice)(load(reference, Seq(path), round.options ++ extension, schema)))
          nothingLeft()
          expected.foreach(done => if (done.rows.nonEmpty) answered.incrementAndGet())
        }
      }
    } finally {
      SparkHarness.deleteTree(local)
      if (store.fileSystem(path).exists(store.path(path))) store.delete(path)
    }
  }

  /** Spark's own sources in their second version differ in what they can do, so they are compared with themselves. What they
    * answer from footers alone the extension leaves to them.
    *
    * @param typed whether the frame has its schema: to take it from files is Spark's own, and would fail with the store
    */
  private def extended(expected: Either[Parity.Problem, Parity.Done], round: Round, typed: Boolean, dice: Dice)(frame: => DataFrame): Unit = {
    val version2 = Seq("spark.sql.sources.useV1SourceList" -> "", "spark.sql.parquet.aggregatePushdown" -> "false")
    val sources = if (dice.chance(25)) version2 else Nil
    withConf(sources: _*) {
      val own = if (sources.isEmpty) expected else outcome(frame, round)
      val extended = withExtension(if (typed) disturbed(dice)(outcome(frame, round)) else outcome(frame, round))
      (own, extended) match {
        case (Right(want), Right(have)) if Scans.ofFiles(want.frame).nonEmpty =>
          assertSameWork(want, have, ordered(want), fetches = true, round.counted)
          ()
        // An error, or a query that the optimizer answers.
        case _ => same(own, extended)
      }
    }
  }

  /** Whether rows come as the scans have them. */
  private def ordered(done: Parity.Done): Boolean = !Scans.operators(done.frame).exists(_.isInstanceOf[Exchange])

  /** In some rounds the store is slow in answering some requests, and fails others. Spark's own reader would fail with it. */
  private def disturbed[T](dice: Dice)(body: => T): T =
    if (store.name != "s3a" || !SparkHarness.underTest || dice.chance(60)) body
    else {
      // Of several threads: which request is met is not of the seed alone.
      val random = new java.util.Random(dice.seed)
      S3Server.withHook { _ =>
        random.nextInt(12) match {
          case 0 => throw new RuntimeException("a fault of the test's")
          case 1 => Thread.sleep(random.nextInt(40).toLong)
          case _ => ()
        }
      }(body)
    }

  private def outcome(frame: => DataFrame, round: Round): Either[Parity.Problem, Parity.Done] =
    try Right(run(round.query(frame)))
    catch {
      case failed: TestFailedException => throw failed
      case NonFatal(error) => Left(Parity.Problem(error))
    }

  private def same(expected: Either[Parity.Problem, Parity.Done], actual: Either[Parity.Problem, Parity.Done]): Unit =
    (expected, actual) match {
      case (Right(want), Right(have)) => assertSame(want, have, ordered = false); ()
      case (Left(want), Left(have)) =>
        assert(have.condition == want.condition, s"\n${have.trace}\nwhere Spark says\n${want.trace}")
        ()
      case (Left(want), Right(have)) => fail(s"${have.rows.size} rows where Spark says\n${want.trace}")
      case (Right(want), Left(have)) => fail(s"where Spark has ${want.rows.size} rows:\n${have.trace}")
    }

  private def tunings(dice: Dice): Map[String, String] = Seq(
    dice.option(60, "readAheadDepth", "0", "1", "3", "50"),
    dice.option(40, "partSize", "4096", "16k", "64k"),
    dice.option(40, "maxCoalesceGap", "0", "1k", "1m"),
    dice.option(30, "maxOverRead", "0", "0.9"),
    dice.option(30, "readAheadMaxBytes", "1", "20k"),
    dice.option(30, "footerPlanningMaxFiles", "0", "1")
  ).flatten.toMap + ("retryBaseDelay" -> "1ms")
}

object RandomSuite {

  /** What one round reads and asks.
    *
    * @param parts into how many the longest file is cut by Spark, if it is cut at all
    * @param readAgain whether Spark may read a file a second time, for the text of a corrupt record: of a file of several
    *   requests that is a miss
    * @param counted whether what Spark's own scan counts does not depend on who is first
    * @param cutAlike whether files have to be cut into the same parts by all
    */
  final case class Round(
      write: Path => Unit,
      options: Map[String, String],
      schema: String => Option[StructType],
      confs: Seq[(String, String)],
      parts: Option[Int],
      readAgain: Boolean,
      query: DataFrame => DataFrame,
      description: String,
      counted: Boolean = true,
      cutAlike: Boolean = false
  )
}
