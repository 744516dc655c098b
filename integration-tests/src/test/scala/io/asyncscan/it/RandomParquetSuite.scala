// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType

/** Parquet files of random schemas, values and layouts. */
abstract class RandomParquetSuite(store: Store) extends RandomSuite(store) {
  import RandomSuite._

  override def reference: String = SparkHarness.reference

  override def round(dice: Dice): Round = {
    val files = new RandomParquet(dice)
    val where = if (dice.chance(70)) Some(predicate(files, dice, 2)) else None
    val (query, description) = question(files, dice)
    val merge = dice.chance(50)
    Round(
      files.write,
      if (merge) Map("mergeSchema" -> "true") else Map.empty,
      path => if (merge || dice.chance(40)) None else Some(schema(files, path, dice)),
      settings(dice),
      if (dice.chance(50)) Some(dice.of(2, 5, 40)) else None,
      readAgain = false,
      frame => query(where.fold(frame)(frame.where)),
      s"${files.columns.map(_.name).mkString(", ")} where ${where.getOrElse("true")}: $description",
      // Of what is filtered, as keys of a join are, fewer pages may be left out: the extension does not show Spark's reader every index.
      counted = where.isEmpty && !Seq("limit", "join").exists(description.startsWith) && !description.contains("again where")
    )
  }

  private def schema(files: RandomParquet, path: String, dice: Dice): StructType = {
    // The first file has all columns, and is not always the one of which Spark takes the schema.
    val all = load(reference, Seq(path), Map("mergeSchema" -> "true")).schema
    if (dice.chance(30)) files.evolved(all) else all
  }

  private def predicate(files: RandomParquet, dice: Dice, depth: Int): String =
    if (depth > 0 && dice.chance(50)) {
      def part = predicate(files, dice, depth - 1)
      dice.below(5) match {
        case 0 => s"NOT ($part)"
        case 1 | 2 => s"($part OR $part)"
        case _ => s"($part AND $part)"
      }
    } else if (files.partitioned && dice.chance(20)) dice.of("p_k = 1", "p_k IS NULL", "p_t = 'a'", "p_k IN (1, 2)", "p_k + 1 = 2")
    else if (files.leaves.isEmpty) dice.of(s"${files.columns.head.name} IS NULL", s"${files.columns.head.name} IS NOT NULL")
    else {
      val leaf = dice.one(files.leaves)
      def literal = leaf.literal(dice.of(dice.below(50), dice.below(3000), 7))
      dice.below(if (leaf.text) 9 else 7) match {
        case 0 => s"${leaf.path} IS NULL"
        case 1 => s"${leaf.path} IS NOT NULL"
        case 2 => s"${leaf.path} IN (${Seq.fill(1 + dice.below(15))(literal).mkString(", ")})"
        case 3 => s"${leaf.path} BETWEEN $literal AND $literal"
        case 7 => s"${leaf.path} LIKE 't${dice.below(30)}%'"
        case 8 => s"${leaf.path} LIKE '%${dice.below(30)}'"
        case _ => s"${leaf.path} ${dice.of("=", "<", "<=", ">", ">=", "<=>", "!=")} $literal"
      }
    }

  private def question(files: RandomParquet, dice: Dice): (DataFrame => DataFrame, String) = {
    val partitions = if (files.partitioned) Seq("p_k", "p_t") else Nil
    val metadata = Seq("_metadata.row_index", "_metadata.file_name", "_metadata.file_size", "input_file_name()")
    val names = files.columns.map(_.name) ++ partitions ++ files.leaves.map(_.path) ++ (if (dice.chance(30)) metadata else Nil)
    val selected = dice.some(names).zipWithIndex.map { case (name, i) => s"$name AS s$i" }
    val leaves = files.leaves.map(_.path) ++ partitions
    dice.below(if (leaves.isEmpty) 4 else 9) match {
      case 0 => (identity, "everything")
      case 1 => (_.agg(count(lit(1))), "count")
      case 2 =>
        val rows = dice.of(0, 1, 40, 2000)
        (_.selectExpr(selected: _*).limit(rows).agg(count(lit(1))), s"limit $rows of $selected")
      case 3 => (_.selectExpr(selected: _*), s"$selected")
      case 4 =>
        val (key, value) = (dice.one(leaves), dice.one(leaves))
        (_.groupBy(expr(key)).agg(count(lit(1)), min(value), max(value)), s"$value by $key")
      case 5 =>
        val (one, two) = (dice.one(leaves), dice.one(leaves))
        (_.agg(min(one), max(one), count(two)), s"least and most of $one, count of $two")
      case 6 =>
        val some = dice.some(leaves)
        (_.selectExpr(some: _*).distinct(), s"distinct $some")
      case 7 =>
        val other = predicate(files, dice, 1)
        (frame => frame.selectExpr(selected: _*).union(frame.where(other).selectExpr(selected: _*)), s"$selected, and again where $other")
      case _ =>
        val key = dice.one(leaves)
        def keys(frame: DataFrame) = frame.selectExpr(s"$key AS k")
        (frame => keys(frame).distinct().join(keys(frame), "k").agg(count(lit(1)), max("k")), s"join by $key")
    }
  }

  private def settings(dice: Dice): Seq[(String, String)] = Seq(
    dice.option(30, "spark.sql.parquet.enableVectorizedReader", "false"),
    dice.option(30, "spark.sql.parquet.enableNestedColumnVectorizedReader", "false"),
    dice.option(15, "spark.sql.parquet.filterPushdown", "false"),
    dice.option(30, "spark.sql.parquet.aggregatePushdown", "true"),
    dice.option(20, "spark.sql.parquet.recordLevelFilter.enabled", "true"),
    dice.option(30, "spark.sql.parquet.columnarReaderBatchSize", "1", "7", "100"),
    dice.option(15, "spark.sql.columnVector.offheap.enabled", "true"),
    dice.option(15, "spark.sql.optimizer.nestedSchemaPruning.enabled", "false"),
    dice.option(15, "spark.sql.caseSensitive", "true"),
    dice.option(15, "spark.sql.adaptive.enabled", "false"),
    dice.option(15, "spark.sql.codegen.wholeStage", "false"),
    dice.option(40, "spark.sql.files.openCostInBytes", "0")
  ).flatten
}

class FileRandomParquetSuite extends RandomParquetSuite(FileStore)
class S3aRandomParquetSuite extends RandomParquetSuite(S3aStore.main)
