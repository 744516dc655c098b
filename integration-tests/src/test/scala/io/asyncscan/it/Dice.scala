// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import scala.util.Random

/** The choices of one round, all of them from one seed. For one thread. */
final class Dice(val seed: Long) {
  private val random = new Random(seed)

  /** From 0 to `n` - 1. */
  def below(n: Int): Int = random.nextInt(n)

  def chance(percent: Int): Boolean = below(100) < percent

  def of[T](first: T, more: T*): T = (first +: more)(below(1 + more.size))

  def one[T](all: Seq[T]): T = all(below(all.size))

  /** At least one of `all`, in their order. */
  def some[T](all: Seq[T]): Seq[T] = {
    val sure = below(all.size)
    val share = below(101)
    all.zipWithIndex.collect { case (each, i) if i == sure || chance(share) => each }
  }

  def option(percent: Int, key: String, values: String*): Option[(String, String)] =
    if (chance(percent)) Some(key -> one(values)) else None
}
