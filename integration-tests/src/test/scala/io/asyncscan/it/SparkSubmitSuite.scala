// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.io.{BufferedOutputStream, File}
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.TimeUnit
import java.util.jar.{JarEntry, JarFile, JarOutputStream}

import scala.jdk.CollectionConverters._

/** The jar as users add it: by `--jars`, loaded by Spark's child class loader, in a JVM that has nothing else of ours. */
abstract class SparkSubmitSuite(store: Store) extends ParitySuite(store) {

  private def data: String = written("submit", spark.range(0, 3000, 1, 3).selectExpr("id", "concat('n', id) as name", "cast(id % 3 as int) as p_k"))(
    _.partitionBy("p_k").option("parquet.block.size", "8192")
  )

  private def check(output: String, distributed: Boolean): Unit = {
    checkRows(output, distributed)
    whenUnderTest {
      assert("SCAN io\\.asyncscan\\.\\S+ true".r.findFirstIn(output).isDefined, s"not the child class loader:\n$output")
    }
  }

  private def checkRows(output: String, distributed: Boolean): Unit = {
    Seq("rows", "filter", "groups", "limit", "file").foreach { query =>
      assert(output.contains(s"PARITY $query true "), s"$query:\n$output")
    }
    assert(output.contains("PARITY rows true [3000,"), output)
    assert(output.contains("DONE"), output)
    assert(output.contains(s"EXECUTOR ${if (distributed) "0" else "driver"}"), output)
  }

  private def submit(master: String, confs: (String, String)*): String = submit(SparkHarness.format, master, confs: _*)

  private def submit(format: String, master: String, confs: (String, String)*): String =
    SparkSubmit.run(
      master,
      (if (store.name == "s3a") S3Server.hadoopConf.toSeq.map { case (key, value) => s"spark.hadoop.$key" -> value } else Nil) ++ confs,
      Seq(format, data)
    )

  // A JVM each, so each store takes two of the three.
  if (store.name == "file")
    test("local") {
      check(submit("local[2]"), distributed = false)
    }

  if (store.name == "s3a")
    test("a pool of one thread") {
      check(submit("local[2]", "spark.asyncscan.asyncThreads" -> "1"), distributed = false)
    }

  if (store.name == "s3a")
    test("the session extension, an executor of its own") {
      assume(SparkHarness.underTest)
      val confs = Seq("spark.executor.memory" -> "1g", "spark.sql.extensions" -> "io.asyncscan.connector.AsyncScanExtensions")
      val output = submit("parquet", "local-cluster[1,1,1024]", confs: _*)
      checkRows(output, distributed = true)
      assert(output.contains("NODE true true"), s"not read by asyncscan of the child class loader:\n$output")
    }

  test("an executor of its own") {
    check(submit("local-cluster[1,1,1024]", "spark.executor.memory" -> "1g"), distributed = true)
  }
}

/** Runs an application of the package `submit` by Spark's own launcher class. */
object SparkSubmit {
  private val jobPackage = "io/asyncscan/it/submit/"

  /** Class path entries of this JVM without any that has a class of asyncscan, of its examples or of these tests. */
  private lazy val classPath: Seq[String] = sys
    .props("java.class.path")
    .split(File.pathSeparator)
    .toSeq
    .flatMap(expand)
    .filterNot(ours)

  /** Build tools shorten a long class path to one jar whose manifest names the rest. */
  private def expand(entry: String): Seq[String] = {
    val path = Paths.get(entry)
    if (!entry.endsWith(".jar") || !Files.exists(path)) Seq(entry)
    else {
      val jar = new JarFile(path.toFile)
      try
        Option(jar.getManifest)
          .filter(_ => jar.size <= 2)
          .flatMap(manifest => Option(manifest.getMainAttributes.getValue("Class-Path")))
          .fold(Seq(entry))(_.split(' ').toSeq.filter(_.nonEmpty).map(url => Paths.get(path.toUri.resolve(url)).toString))
      finally jar.close()
    }
  }

  private def ours(entry: String): Boolean = {
    val path = Paths.get(entry)
    if (Files.isDirectory(path)) Files.isDirectory(path.resolve("io/asyncscan"))
    else if (!Files.exists(path)) true
    else {
      val jar = new JarFile(path.toFile)
      try jar.stream().anyMatch(_.getName.startsWith("io/asyncscan/"))
      finally jar.close()
    }
  }

  /** What a user's distribution of Spark looks like to those who look for it: a directory with `jars`. */
  private lazy val home: Path = {
    val home = SparkHarness.scratch.resolve("spark-home")
    val jars = Files.createDirectories(home.resolve("jars"))
    classPath.filter(_.endsWith(".jar")).zipWithIndex.foreach { case (entry, i) =>
      Files.createSymbolicLink(jars.resolve(f"$i%03d-${Paths.get(entry).getFileName}"), Paths.get(entry).toAbsolutePath)
    }
    val logging =
      """rootLogger.level = error
        |rootLogger.appenderRef.stderr.ref = stderr
        |appender.stderr.type = Console
        |appender.stderr.name = stderr
        |appender.stderr.target = SYSTEM_ERR
        |appender.stderr.layout.type = PatternLayout
        |appender.stderr.layout.pattern = %p %c: %m%n%ex
        |""".stripMargin
    Files.write(Files.createDirectories(home.resolve("conf")).resolve("log4j2.properties"), logging.getBytes)
    home
  }

  private lazy val jobJar: Path = {
    val classes = Paths.get(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)
    val jar = SparkHarness.scratch.resolve("parity-job.jar")
    val out = new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(jar)))
    val all = Files.walk(classes.resolve(jobPackage))
    try
      all.filter(Files.isRegularFile(_)).forEach { file =>
        out.putNextEntry(new JarEntry(classes.relativize(file).toString.replace(File.separatorChar, '/')))
        Files.copy(file, out)
        out.closeEntry()
      }
    finally {
      all.close()
      out.close()
    }
    jar
  }

  private lazy val connectorJar: Path = {
    val jar = Paths.get(sys.props.getOrElse("asyncscan.jar", throw new IllegalStateException("-Dasyncscan.jar is not set")))
    require(Files.isRegularFile(jar), s"no connector jar at $jar")
    jar
  }

  def run(
      master: String,
      confs: Seq[(String, String)],
      arguments: Seq[String],
      job: String = "ParityJob",
      heap: String = "1g"
  ): String = {
    val java = Paths.get(sys.props("java.home"), "bin", "java").toString
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.toSeq
      .filter(argument => argument.startsWith("--add-opens") || argument.startsWith("-XX:Tiered") || argument.startsWith("-Djdk.reflect"))
    val settings = Seq(
      "spark.ui.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "2",
      "spark.driver.host" -> "127.0.0.1",
      "spark.driver.bindAddress" -> "127.0.0.1",
      "spark.unsafe.exceptionOnMemoryLeak" -> "true"
    ) ++ confs
    val command = Seq(java, s"-Xmx$heap") ++ opens ++
      Seq("-cp", (home.resolve("conf").toString +: s"${home.resolve("jars")}/*" +: Nil).mkString(File.pathSeparator)) ++
      Seq("org.apache.spark.deploy.SparkSubmit", "--master", master, "--class", s"io.asyncscan.it.submit.$job") ++
      Seq("--jars", connectorJar.toString) ++
      settings.flatMap { case (key, value) => Seq("--conf", s"$key=$value") } ++
      (jobJar.toString +: arguments)
    val log = Files.createTempFile(SparkHarness.scratch, "submit", ".log")
    val builder = new ProcessBuilder(command.asJava).directory(SparkHarness.scratch.toFile).redirectErrorStream(true).redirectOutput(log.toFile)
    builder.environment.put("SPARK_HOME", home.toString)
    // What bin/load-spark-env.sh sets.
    builder.environment.put("SPARK_SCALA_VERSION", "2.13")
    builder.environment.put("SPARK_LOCAL_IP", "127.0.0.1")
    val process = builder.start()
    try {
      val ended = process.waitFor(180, TimeUnit.SECONDS)
      val output = new String(Files.readAllBytes(log))
      assert(ended && process.exitValue == 0, s"spark-submit ${if (ended) s"exited with ${process.exitValue}" else "hangs"}:\n$output")
      output
    } finally {
      process.descendants.forEach { child => child.destroyForcibly(); () }
      process.destroyForcibly()
      ()
    }
  }
}

class FileSparkSubmitSuite extends SparkSubmitSuite(FileStore)
class S3aSparkSubmitSuite extends SparkSubmitSuite(S3aStore.main)
