// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.run;

import io.asyncscan.examples.s3.Traffic;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One run of a query.
 *
 * @param seconds wall clock from {@code spark.read} to the answer
 * @param cpuSeconds CPU time of the tasks' own threads
 * @param stallSeconds how long all tasks together waited for bytes, if the reader tells
 * @param traffic what the server saw
 * @param answer the row, as text
 */
public record Run(
        double seconds, double cpuSeconds, OptionalDouble stallSeconds, Traffic.Snapshot traffic, String answer) {

    /** Cores that the tasks kept busy on average. */
    public double busyCores() {
        return cpuSeconds / seconds;
    }

    /** The run whose time is the median; of two in the middle the slower. */
    public static Run median(List<Run> runs) {
        return runs.stream()
                .sorted(Comparator.comparingDouble(Run::seconds))
                .toList()
                .get(runs.size() / 2);
    }
}
