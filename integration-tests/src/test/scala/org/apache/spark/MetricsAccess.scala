// SPDX-License-Identifier: Apache-2.0
package org.apache.spark

import scala.jdk.CollectionConverters._

/** Spark's metrics system, as its sinks see it; Spark keeps it to its own package. */
object MetricsAccess {

  /** The gauges that a plugin has registered with this JVM's executor, by their own names. */
  def gauges(plugin: String): Map[String, Long] =
    SparkEnv.get.metricsSystem.getSourcesByName(s"plugin.$plugin").flatMap { source =>
      source.metricRegistry.getGauges.asScala.map { case (name, gauge) => name -> gauge.getValue.asInstanceOf[Number].longValue }
    }.toMap
}
