// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

/** Real jobs with little memory, each in a JVM of its own: right answers, no leak, no more spilled than with Spark's own
  * reader, nothing evicted. Spark fails a task that leaks memory.
  */
class GovernorSuite extends ParitySuite(S3aStore.main) {
  import GovernorSuite._

  /** Some 15 MB in 15 row groups, and nothing that compresses. */
  private lazy val data: String = {
    val hash = "lower(hex(xxhash64(id, 1))) || lower(hex(xxhash64(id, 2))) || lower(hex(xxhash64(id, 3))) || lower(hex(xxhash64(id, 4)))"
    written("governor", spark.range(0, rows, 1, 2).selectExpr("id", "xxhash64(id) as k", s"$hash as t"))(
      _.option("parquet.enable.dictionary", "false").option("parquet.block.size", (1 << 20).toString).option("compression", "none")
    )
  }

  private def run(master: String, arguments: Seq[String], confs: (String, String)*): Seq[Array[String]] = {
    assume(SparkHarness.underTest)
    val settings = S3Server.hadoopConf.toSeq.map { case (key, value) => s"spark.hadoop.$key" -> value } ++ Seq(
      "spark.sql.extensions" -> "io.asyncscan.connector.AsyncScanExtensions",
      "spark.sql.adaptive.enabled" -> "false",
      "spark.testing.memory" -> systemMemory.toString,
      "spark.testing.reservedMemory" -> "0"
    ) ++ confs
    // A heap that would not take what Spark does not know of: Spark itself needs most of it.
    val output = SparkSubmit.run(master, settings, arguments.head +: data +: arguments.tail, job = "GovernorJob", heap = "400m")
    assert(output.contains("DONE"), output)
    Seq("OutOfMemory", "emory leak").foreach(trouble => assert(!output.contains(trouble), output))
    output.linesIterator.map(_.split(' ')).toSeq
  }

  private def queries(lines: Seq[Array[String]]): Map[String, Map[String, Query]] =
    lines.collect { case Array("QUERY", name, reader, answer, spilled, peak, granted, denials, dropped, misses) =>
      Query(name, reader, answer, spilled.toLong, peak.toLong, granted.toLong, denials.toLong, dropped.toLong, misses.toLong)
    }.groupBy(_.name).map { case (name, runs) => name -> runs.map(run => run.reader -> run).toMap }

  private def checkAnswers(found: Map[String, Map[String, Query]], names: String*): Unit = {
    assert(found.keySet == names.toSet)
    found.values.foreach { runs =>
      readAhead.map(runs).foreach { run =>
        assert(run.rows == runs("stock").rows, run)
        assert(run.misses == 0, run)
        assert(run.granted > 0, s"nothing was read ahead: $run")
      }
    }
  }

  test("operators that spill get their memory") {
    val names = Seq("sort", "aggregation", "join", "union")
    val found = queries(run("local[1]", Seq("operators", names.mkString(","))))
    checkAnswers(found, names: _*)
    // One task at a time, so that nobody's share depends on when others come and go.
    Seq("sort", "aggregation", "join").foreach { name =>
      val stock = found(name)("stock").spilled
      assert(stock > 0, s"$name has memory to spare, so it shows nothing")
      // What is being decoded is charged too. That moves the moment of a spill, up or down in sum by less than a tenth.
      readAhead.map(found(name)).foreach(run => assert(run.spilled <= stock + stock / 10, s"$run where Spark's own spills $stock"))
    }
    Seq("sort", "aggregation").foreach { name =>
      readAhead.map(found(name)).foreach { run =>
        assert(run.peak <= unified * 3 / 10 + largestJob, s"more than its share and the job being decoded: $run")
      }
    }
  }

  test("operators off the heap") {
    val offHeap = Seq("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> unified.toString)
    val found = queries(run("local[2]", Seq("operators", "sort,join"), offHeap: _*))
    checkAnswers(found, "sort", "join")
    // Arrays on the heap cannot help them, and are not asked for.
    found.values.flatMap(_.values).foreach(run => assert(run.dropped == 0, run))
  }

  test("what is cached stays") {
    // Nearly nothing of it is safe from tasks that take more than is free.
    val lines = run(
      "local[4]",
      Seq("cache"),
      "spark.memory.storageFraction" -> "0.1",
      "spark.asyncscan.memoryFraction" -> "1"
    )
    val cached = lines.collect { case Array("CACHED", count, partitions, bytes, onDisk) => (count, partitions, bytes, onDisk) }
    assert(cached.map(_._1) == Seq((rows - rows / 3).toString))
    val (_, partitions, bytes, onDisk) = cached.head
    assert(partitions == "8" && onDisk == "0")
    assert(bytes.toLong > unified / 3, "too little to be evicted")
    val answer = lines.collect { case Array("ANSWER", counted) => counted }.head
    val scans = lines.collect { case Array("SCAN", _, _, found, parts, size, disk, granted, denials) =>
      ((found, parts, size, disk), granted.toLong, denials.toLong)
    }
    assert(scans.size == 6)
    assert(scans.map(_._1).toSet == Set((answer, partitions, bytes, onDisk)))
    assert(scans.forall(_._2 > 0), "nothing was read ahead")
    assert(scans.map(_._3).sum > 0, "memory was never short")
  }
}

object GovernorSuite {

  private val rows = 200000L

  /** What Spark takes for the heap (bytes), and the part of it that is for execution and storage. */
  private val systemMemory = 32L << 20
  private val unified = systemMemory * 6 / 10

  /** A row group and what its buffers are longer. */
  private val largestJob = (1L << 20) * 3 / 2

  private val readAhead = Seq("extension", "connector")

  /** One query by one reader: its rows, what operators spilled, and asyncscan's metrics. */
  final case class Query(
      name: String,
      reader: String,
      rows: String,
      spilled: Long,
      peak: Long,
      granted: Long,
      denials: Long,
      dropped: Long,
      misses: Long
  )
}
