// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.util.concurrent.{Executors, TimeUnit, TimeoutException}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Queries side by side, some of which are killed at any moment, fail, or are not wanted any more: those that end have the
  * right rows, and when all are over nothing of them is left. Rounds and seeds are those of [[RandomSuite]]; moments are not
  * of the seed alone.
  */
abstract class RandomLifeSuite(store: Store) extends ParitySuite(store) with NothingLeft {
  import RandomLifeSuite._

  private val rounds = Integer.getInteger("asyncscan.random.rounds", 12).intValue
  private val first = java.lang.Long.getLong("asyncscan.random.seed", 1L).longValue
  private val schema = StructType.fromDDL("id bigint, r double, t string")

  private def rows = spark.range(0, total, 1, 3).selectExpr("id", "rand(3) as r", "concat('t', id % 977) as t")

  /** Three files each: of many row groups, of many parts, of one stream. */
  private lazy val tables: Map[String, String] = Map(
    "parquet" -> written("random-life-parquet", rows)(
      _.option("parquet.enable.dictionary", "false").option("parquet.block.size", "16384").option("parquet.page.size", "4096")
    ),
    "csv" -> dataset("random-life-csv")(dir => rows.write.csv(dir.toUri.toString)),
    "json" -> dataset("random-life-json")(dir => rows.write.option("compression", "gzip").json(dir.toUri.toString))
  )

  private lazy val expected: Map[(String, String), Seq[String]] =
    (for ((kind, path) <- tables; (name, question) <- questions)
      yield (kind, name) -> canonical(question(spark.read.schema(schema).format(kind).load(path)))).toMap

  private def canonical(frame: DataFrame): Seq[String] = frame.collect().toSeq.map(Canonical(_)).sorted

  (0 until rounds).foreach { i =>
    val seed = first + i
    test(s"seed $seed") {
      assume(SparkHarness.underTest)
      assert(expected.size == tables.size * questions.size)
      play(new Dice(seed))
    }
  }

  private def play(dice: Dice): Unit = {
    val plays = (0 to dice.below(4)).map(i => draw(s"random-life-${store.name}-${dice.seed}-$i", dice))
    val threads = Executors.newFixedThreadPool(plays.size)
    val clock = Executors.newSingleThreadScheduledExecutor()
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(threads)
    try
      withClue(plays.mkString(s"seed ${dice.seed}:\n", "\n", "\n"))(disturbed(dice) {
        val running = plays.map { play =>
          play.end match {
            case Killed(after) =>
              clock.schedule((() => spark.sparkContext.cancelJobGroupAndFutureJobs(play.group)): Runnable, after, TimeUnit.MILLISECONDS)
            case _ => ()
          }
          Future(Try(run(play)))
        }
        val ended =
          try Await.result(Future.sequence(running), 180.seconds)
          catch { case _: TimeoutException => fail(s"it hangs:\n$stacks") }
        plays.zip(ended).foreach { case (play, outcome) => withClue(s"$play: ")(judge(play, outcome)) }
        nothingLeft()
      })
    finally {
      clock.shutdownNow()
      threads.shutdownNow()
      ()
    }
  }

  private def judge(play: Play, outcome: Try[Option[Seq[String]]]): Unit = (play.end, outcome) match {
    case (_, Success(None)) => ()
    case (_, Success(Some(rows))) =>
      assert(rows == expected(play.kind -> play.question))
      ()
    case (Killed(_), Failure(error)) if Parity.Problem(error).messages.toLowerCase.contains("cancel") => ()
    case (Fails(_), Failure(error)) if Parity.Problem(error).messages.contains("on purpose") => ()
    case (_, Failure(error)) => fail(Parity.Problem(error).trace)
  }

  /** What the query answers, or nothing if its end was not waited for. In a session of its own, for its settings. */
  private def run(play: Play): Option[Seq[String]] = {
    val session = spark.newSession()
    SparkSession.setActiveSession(session)
    spark.sparkContext.setJobGroup(play.group, play.toString, play.interrupts)
    try {
      play.settings.foreach { case (key, value) => session.conf.set(key, value) }
      val typed = session.read.schema(schema)
      val read =
        if (play.explicit) typed.format(SparkHarness.format).options(play.tuning + ("fileFormat" -> play.kind))
        else typed.format(play.kind).options(play.tuning.map { case (key, value) => s"spark.asyncscan.$key" -> value })
      val table = read.load(tables(play.kind))
      play.end match {
        case Fails(at) =>
          val failing = udf((id: Long) => if (id == at) throw new IllegalStateException("on purpose") else id)
          Some(canonical(questions(play.question)(table.withColumn("id", failing(col("id"))))))
        case Abandoned(after) =>
          table.toLocalIterator().asScala.take(after).foreach(row => assert(row.getLong(0) >= 0))
          None
        case _ => Some(canonical(questions(play.question)(table)))
      }
    } finally {
      spark.sparkContext.clearJobGroup()
      SparkSession.clearActiveSession()
    }
  }

  private def draw(group: String, dice: Dice): Play = {
    val explicit = dice.chance(50)
    val extension = Seq("spark.asyncscan.enabled" -> "true", "spark.asyncscan.extensionSchemes" -> "*")
    Play(
      group,
      // The explicit format reads JSON by the extension alone.
      if (explicit) dice.of("parquet", "csv") else dice.of("parquet", "csv", "json"),
      explicit,
      Seq(
        dice.option(40, "readAheadDepth", "0", "1", "3", "50"),
        dice.option(40, "readAheadMaxBytes", "1", "20k", "200k"),
        dice.option(30, "partSize", "4096", "16k"),
        dice.option(30, "footerPlanningMaxFiles", "0")
      ).flatten.toMap + ("retryBaseDelay" -> "1ms"),
      (if (explicit) Nil else extension) ++ Seq(
        dice.option(50, "spark.sql.files.maxPartitionBytes", "30k", "200k"),
        dice.option(30, "spark.sql.parquet.enableVectorizedReader", "false"),
        dice.option(30, "spark.sql.autoBroadcastJoinThreshold", "-1"),
        if (explicit) None else dice.option(30, "spark.sql.sources.useV1SourceList", "")
      ).flatten,
      dice.one(questions.keys.toSeq),
      dice.below(10) match {
        case 0 | 1 | 2 => Finished
        case 3 => Abandoned(dice.of(0, 1, 5000))
        case 4 | 5 => Fails(dice.below(total).toLong)
        case _ => Killed(dice.of(0, dice.below(30), dice.below(300), dice.below(1500)).toLong)
      },
      interrupts = dice.chance(50)
    )
  }

  /** The store is slow in answering, and in some rounds it fails now and then. */
  private def disturbed(dice: Dice)(body: => Unit): Unit = {
    val random = new java.util.Random(dice.seed)
    val (slow, failing) = (dice.chance(70), dice.chance(30))
    if (store.name != "s3a") body
    else
      S3Server.withHook { _ =>
        if (slow) Thread.sleep(random.nextInt(30).toLong)
        if (failing && random.nextInt(15) == 0) throw new RuntimeException("a fault of the test's")
      }(body)
  }

  private def stacks: String = Thread.getAllStackTraces.asScala.map { case (thread, stack) =>
    stack.mkString(s"${thread.getName}\n  ", "\n  ", "\n")
  }.mkString("\n")
}

object RandomLifeSuite {
  private val total = 20000

  sealed trait End
  case object Finished extends End

  /** Cancelled after some milliseconds, if it has not ended by then. */
  final case class Killed(after: Long) extends End

  /** A function above the scan fails at this row. */
  final case class Fails(at: Long) extends End

  /** Some rows are taken and no more asked for. */
  final case class Abandoned(after: Int) extends End

  final case class Play(
      group: String,
      kind: String,
      explicit: Boolean,
      tuning: Map[String, String],
      settings: Seq[(String, String)],
      question: String,
      end: End,
      interrupts: Boolean
  )

  private val questions: Map[String, DataFrame => DataFrame] = Map(
    "totals" -> (_.agg(count(lit(1)), sum("id"), max("t"), sum(expr("cast(r * 1000 as bigint)")))),
    "groups" -> (_.groupBy(expr("id % 500")).agg(count(lit(1)), max("t"))),
    "sorted" -> (_.orderBy("t", "id")),
    "top" -> (_.orderBy(desc("r")).limit(50)),
    "some" -> (_.where("id % 7 = 3")),
    "few" -> (_.limit(10).agg(count(lit(1)))),
    "joined" -> (frame => frame.as("a").join(frame.where("id % 3 = 0").as("b"), "id").agg(count(lit(1)), max("a.t")))
  )
}

class FileRandomLifeSuite extends RandomLifeSuite(FileStore)
class S3aRandomLifeSuite extends RandomLifeSuite(S3aStore.main)
