// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one JVM measured. It goes from the child to the parent as a line of text.
 *
 * @param seconds wall clock of each round, from the start of its queries to the end of the last; under a steady load of each
 *     run of the query that was the last to have run often enough
 * @param ended how many runs of queries ended in that time
 * @param work of all rounds together
 * @param memory most that was held
 * @param failures queries that ended with an error
 * @param answers a digest of the rows by query; several, with commas, if they differed between rounds
 */
record CellFigures(
        List<Double> seconds, int ended, Work work, Memory memory, int failures, SortedMap<String, String> answers) {
    private static final String MARK = "figures:";
    private static final String ANSWER = "answer.";

    /**
     * Sums over rounds. Under a steady load, where queries run at different rates, bytes are of as many runs of each query as
     * there are rounds.
     *
     * @param cpuSeconds CPU time of task threads
     * @param gcSeconds time in which the collector stopped the JVM
     * @param memorySpilled bytes that operators gave up, as they were in memory
     * @param diskSpilled the same bytes as they were written
     */
    record Work(double cpuSeconds, double gcSeconds, long memorySpilled, long diskSpilled) {}

    /**
     * Largest values.
     *
     * @param heapAfterGc bytes of the heap in use after a collection
     * @param readAheadPeak bytes that read-ahead accounted for, since the JVM started
     * @param readAheadBudget bytes that all read-ahead may account for in this JVM
     */
    record Memory(long heapAfterGc, long readAheadPeak, long readAheadBudget) {}

    /** The line; {@link #find} reads it. */
    String toLine() {
        StringBuilder line = new StringBuilder(MARK);
        line.append(" seconds=")
                .append(String.join(",", seconds.stream().map(CellFigures::text).toList()));
        line.append(" ended=").append(ended);
        line.append(" cpu=").append(text(work.cpuSeconds));
        line.append(" gc=").append(text(work.gcSeconds));
        line.append(" memorySpilled=").append(work.memorySpilled);
        line.append(" diskSpilled=").append(work.diskSpilled);
        line.append(" heap=").append(memory.heapAfterGc);
        line.append(" readAhead=").append(memory.readAheadPeak);
        line.append(" budget=").append(memory.readAheadBudget);
        line.append(" failures=").append(failures);
        answers.forEach((query, answer) ->
                line.append(' ').append(ANSWER).append(query).append('=').append(answer));
        return line.toString();
    }

    /** The figures in what a child printed; nothing if it did not get that far. */
    static Optional<CellFigures> find(List<String> output) {
        return output.stream()
                .filter(line -> line.startsWith(MARK))
                .reduce((first, last) -> last)
                .map(CellFigures::parse);
    }

    private static CellFigures parse(String line) {
        Map<String, String> values = new HashMap<>();
        SortedMap<String, String> answers = new TreeMap<>();
        for (String word : line.substring(MARK.length()).strip().split(" ", -1)) {
            int equals = word.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("no value in " + word + ": " + line);
            }
            String name = word.substring(0, equals);
            String value = word.substring(equals + 1);
            if (name.startsWith(ANSWER)) {
                answers.put(name.substring(ANSWER.length()), value);
            } else {
                values.put(name, value);
            }
        }
        List<Double> seconds = new ArrayList<>();
        for (String round : value(values, "seconds", line).split(",", -1)) {
            seconds.add(Double.valueOf(round));
        }
        return new CellFigures(
                seconds,
                Integer.parseInt(value(values, "ended", line)),
                new Work(
                        Double.parseDouble(value(values, "cpu", line)),
                        Double.parseDouble(value(values, "gc", line)),
                        Long.parseLong(value(values, "memorySpilled", line)),
                        Long.parseLong(value(values, "diskSpilled", line))),
                new Memory(
                        Long.parseLong(value(values, "heap", line)),
                        Long.parseLong(value(values, "readAhead", line)),
                        Long.parseLong(value(values, "budget", line))),
                Integer.parseInt(value(values, "failures", line)),
                answers);
    }

    private static String value(Map<String, String> values, String name, String line) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no " + name + " in: " + line);
        }
        return value;
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
