// SPDX-License-Identifier: Apache-2.0
package org.apache.spark

/** Waiting until every listener has heard of everything, which Spark keeps to its own package. */
object ListenerBusAccess {
  def drain(context: SparkContext): Unit = context.listenerBus.waitUntilEmpty(60000)
}
