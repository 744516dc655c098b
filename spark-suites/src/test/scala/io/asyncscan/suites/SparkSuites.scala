// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.suites

import java.nio.file.Paths

import scala.collection.mutable
import scala.io.Source
import scala.util.Using

import org.scalatest.{Args, Reporter, Suite}
import org.scalatest.events._
import org.scalatest.funsuite.AnyFunSuite

/** Spark's own suites with the session extension on: one test per suite that `suites.txt` lists.
  *
  * A suite passes if all its tests do, but those that `plan-bound.txt` names, and if asyncscan read files for it.
  */
class SparkSuites extends AnyFunSuite {
  import SparkSuites._

  private val chosen = sys.props.getOrElse("asyncscan.suites", "core") match {
    case "core" => listed.filter(_.core)
    case "all" => listed
    case names => names.split(',').toSeq.map(name => listed.find(_.name == name.trim).getOrElse(Listed(name.trim, core = false, reads = true, tpcds = false)))
  }

  chosen.foreach { entry =>
    test(entry.name) {
      if (entry.tpcds) TpcdsData.prepare(Paths.get(sys.env("SPARK_TPCDS_DATA")))
      val suite =
        try Class.forName(entry.name).getConstructor().newInstance().asInstanceOf[Suite]
        catch { case _: ClassNotFoundException => cancel("not in this version of Spark") }
      ReadCounter.take()
      val outcome = new Outcome
      val started = System.nanoTime
      suite.run(sys.props.get("asyncscan.suites.test"), Args(outcome))
      val reads = ReadCounter.take()
      val bound = planBound.filter(_.suite == entry.name)
      val unexpected = outcome.failed.filterNot { case (name, _) => bound.exists(_.matches(name)) }
      info(f"${outcome.passed.size} passed, ${outcome.failed.size} failed, ${(System.nanoTime - started) / 1e9}%.0f s; " +
        s"asyncscan: ${reads.scans} scans, ${reads.requests} requests, ${reads.misses} misses; ${reads.version1} scans of version 1")
      if (unexpected.nonEmpty)
        fail(unexpected.map { case (name, why) => s"$name: $why" }.mkString(s"${unexpected.size} of Spark's tests fail:\n", "\n", ""))
      assert(outcome.passed.nonEmpty, "no test ran")
      if (entry.reads) assert(reads.requests > 0, "asyncscan read nothing: the suite says nothing about it")
      val stale = bound.filter(entry => outcome.passed.exists(entry.matches) && !outcome.failed.exists(f => entry.matches(f._1)))
      stale.foreach(entry => info(s"passes, and is listed as bound to a plan: ${entry.test}"))
    }
  }
}

object SparkSuites {

  /** A suite of Spark's.
    *
    * @param core whether it belongs to the core that every change has to pass
    * @param reads whether its tests read files
    * @param tpcds whether it needs the tables of TPC-DS
    */
  final case class Listed(name: String, core: Boolean, reads: Boolean, tpcds: Boolean)

  /** A test of Spark's that fails because of what it is about: the form of a plan. A name that ends with `*` is a prefix. */
  final case class PlanBound(suite: String, test: String) {
    def matches(name: String): Boolean = if (test.endsWith("*")) name.startsWith(test.dropRight(1)) else name == test
  }

  lazy val listed: Seq[Listed] = lines("suites.txt").map { line =>
    val fields = line.split("\\s+")
    Listed(fields(1), fields(0) == "core", reads = !fields.drop(2).contains("no-reads"), tpcds = fields.drop(2).contains("tpcds"))
  }

  /** `suite | test | reason`. */
  lazy val planBound: Seq[PlanBound] = lines("plan-bound.txt").map { line =>
    val fields = line.split('|').map(_.trim)
    require(fields.length == 3 && fields(2).nonEmpty, s"not 'suite | test | reason': $line")
    PlanBound(fields(0), fields(1))
  }

  private def lines(resource: String): Seq[String] =
    Using.resource(Source.fromResource(resource))(_.getLines().map(_.trim).filter(line => line.nonEmpty && !line.startsWith("#")).toList)

  /** Whether to say which test begins, and where failing ones fail. */
  private val trace = sys.props.contains("asyncscan.suites.trace")

  /** Collects what becomes of each test. */
  private final class Outcome extends Reporter {
    val passed = mutable.Buffer.empty[String]
    val failed = mutable.Buffer.empty[(String, String)]

    override def apply(event: Event): Unit = synchronized {
      event match {
        case test: TestStarting if trace => println(s"${test.suiteName}: ${test.testName}")
        case test: TestSucceeded => passed += test.testName
        case test: TestFailed =>
          if (trace) test.throwable.foreach(_.printStackTrace())
          failed += test.testName -> test.message
        case suite: SuiteAborted => failed += suite.suiteName -> suite.message
        case _ =>
      }
    }
  }
}
