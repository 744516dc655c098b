// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal

/** Rows and schemas in a form that can be compared with `==` and printed: -0.0 is not 0.0 here, NaN is NaN. */
object Canonical {
  def apply(row: Row): String = value(row)

  def apply(schema: StructType): Seq[String] = schema.fields.toSeq.map(field)

  private def value(any: Any): String = any match {
    case null => "null"
    case row: Row => row.toSeq.map(value).mkString("{", ", ", "}")
    case bytes: Array[Byte] => bytes.map(b => f"$b%02x").mkString("0x", "", "")
    case map: scala.collection.Map[_, _] =>
      map.toSeq.map { case (k, v) => s"${value(k)} -> ${value(v)}" }.sorted.mkString("map(", ", ", ")")
    case values: scala.collection.Iterable[_] => values.map(value).mkString("[", ", ", "]")
    case double: Double => if (double.isNaN) "NaN" else s"$double"
    case float: Float => if (float.isNaN) "NaN" else s"${float}f"
    case text: String => "\"" + text + "\""
    case variant: VariantVal => s"variant(${variant.toString})"
    case other => s"$other: ${other.getClass.getSimpleName}"
  }

  // Column metadata is left out: Spark's own scan marks _metadata columns in it with notes to itself.
  private def field(field: StructField): String =
    s"${field.name}: ${dataType(field.dataType)}${if (field.nullable) "" else " not null"}"

  private def dataType(any: DataType): String = any match {
    case struct: StructType => struct.fields.map(field).mkString("struct<", ", ", ">")
    case ArrayType(element, nullable) => s"array<${dataType(element)}${if (nullable) "" else " not null"}>"
    case MapType(key, item, nullable) => s"map<${dataType(key)}, ${dataType(item)}${if (nullable) "" else " not null"}>"
    case other => other.simpleString
  }
}
