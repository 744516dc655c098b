// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it.submit

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions._

/** The application of the spark-submit suite: it reads a path with both formats and says how they compare.
  *
  * Nothing of asyncscan or of the test harness is on its class path but what `--jars` brings.
  */
object ParityJob {
  def main(args: Array[String]): Unit = {
    val (format, path) = (args(0), args(1))
    val spark = SparkSession.builder().getOrCreate()
    try {
      def read(format: String): DataFrame = spark.read.format(format).load(path)
      val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
        "rows" -> (frame => frame.select(xxhash64(frame.columns.toSeq.map(col): _*).as("h")).agg(count(lit(1)), sum(expr("h % 1000003")))),
        "filter" -> (frame => frame.where("id > 100 and id % 3 = 1").agg(count(lit(1)), sum("id"), max("name"))),
        "groups" -> (frame => frame.groupBy("p_k").agg(count(lit(1)), min("name")).orderBy("p_k")),
        "limit" -> (frame => frame.limit(7).agg(count(lit(1)))),
        "file" -> (frame => frame.select(input_file_name().as("f"), col("_metadata.row_index")).agg(count(lit(1)), max("f"), sum("row_index")))
      )
      // What the session extension does, if it is there, is what is compared, not what it is compared with.
      def stock[T](body: => T): T = {
        spark.conf.set("spark.asyncscan.enabled", "false")
        try body
        finally spark.conf.set("spark.asyncscan.enabled", "true")
      }
      queries.foreach { case (name, query) =>
        val expected = stock(query(read("parquet")).collect().toSeq)
        val frame = query(read(format))
        val actual = frame.collect().toSeq
        println(s"PARITY $name ${expected == actual} ${actual.mkString("|")}")
      }
      val scan = read(format).queryExecution.executedPlan.collect {
        case scan: org.apache.spark.sql.execution.datasources.v2.BatchScanExec => scan.scan.getClass
      }
      scan.foreach(loaded => println(s"SCAN ${loaded.getName} ${loaded.getClassLoader != classOf[SparkSession].getClassLoader}"))
      // Adaptive execution hides a plan until it has run; without a shuffle there is none.
      val all = read(format).where("id >= 0")
      all.collect()
      all.queryExecution.executedPlan.foreach {
        case node if node.nodeName == "AsyncRead" =>
          println(s"NODE ${node.getClass.getClassLoader != classOf[SparkSession].getClassLoader} ${node.metrics("requests").value > 0}")
        case _ =>
      }
      val where = spark.sparkContext.parallelize(Seq(1), 1).map(_ => org.apache.spark.SparkEnv.get.executorId).collect().head
      println(s"EXECUTOR $where")
      println("DONE")
    } finally spark.stop()
  }
}
