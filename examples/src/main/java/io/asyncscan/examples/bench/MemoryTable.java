// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The results of {@link MemoryBench}: a row for each limit and reader, and what does not hold. */
final class MemoryTable {
    private static final double MB = 1 << 20;

    private final List<Row> rows = new ArrayList<>();

    /**
     * What the JVMs of one reader within one limit measured.
     *
     * @param figures of those that ended
     * @param died how many did not
     */
    record Row(MemoryLimits.Heap heap, MemoryReader reader, List<CellFigures> figures, int died) {
        List<Double> seconds() {
            return figures.stream()
                    .flatMap(each -> each.seconds().stream())
                    .sorted()
                    .toList();
        }

        /** The median; of two in the middle the slower. */
        double median() {
            List<Double> sorted = seconds();
            return sorted.get(sorted.size() / 2);
        }

        double wall() {
            return seconds().stream().mapToDouble(Double::doubleValue).sum();
        }

        double cpu() {
            return figures.stream()
                    .mapToDouble(each -> each.work().cpuSeconds())
                    .sum();
        }

        double endedPerMinute() {
            return 60.0 * figures.stream().mapToInt(CellFigures::ended).sum() / wall();
        }

        double gcPerRound() {
            return figures.stream().mapToDouble(each -> each.work().gcSeconds()).sum()
                    / (double) seconds().size();
        }

        long perRound(ToLongFunction<CellFigures.Work> value) {
            return figures.stream()
                            .mapToLong(each -> value.applyAsLong(each.work()))
                            .sum()
                    / seconds().size();
        }

        long most(ToLongFunction<CellFigures.Memory> value) {
            return figures.stream()
                    .mapToLong(each -> value.applyAsLong(each.memory()))
                    .max()
                    .orElse(0);
        }

        int failures() {
            return figures.stream().mapToInt(CellFigures::failures).sum();
        }

        String name() {
            return reader.title() + " within " + heap.heapMb() + " MB";
        }
    }

    void add(Row row) {
        rows.add(row);
    }

    /** What has to hold and does not, as sentences; empty if all is well. */
    List<String> faults() {
        List<String> faults = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        for (Row row : rows) {
            if (row.died > 0 || row.failures() > 0) {
                faults.add(row.name() + ": " + row.died + " JVMs did not end well, " + row.failures()
                        + " queries failed.");
            }
            for (CellFigures each : row.figures) {
                long peak = each.memory().readAheadPeak();
                long budget = each.memory().readAheadBudget();
                if (peak > budget) {
                    faults.add(row.name() + ": read-ahead held " + peak + " bytes, its budget is " + budget + ".");
                }
                if (!answers.contains(each.answers().toString())) {
                    answers.add(each.answers().toString());
                }
            }
        }
        if (answers.size() > 1) {
            faults.add("The answers differ: " + String.join(" and ", answers) + ".");
        }
        return faults;
    }

    @Override
    public String toString() {
        Table table = new Table(
                "limit",
                "heap MB",
                "reader",
                "seconds",
                "min",
                "max",
                "queries/min",
                "busy cores",
                "read-ahead MB",
                "budget MB",
                "heap after GC MB",
                "GC s",
                "spilled MB",
                "on disk MB",
                "failures");
        for (Row row : rows) {
            add(table, row);
        }
        return table.toString();
    }

    private static void add(Table table, Row row) {
        String limit = row.heap.limit().id();
        String heap = Integer.toString(row.heap.heapMb());
        String failures = Integer.toString(row.died + row.failures());
        if (row.figures.isEmpty()) {
            table.row(limit, heap, row.reader.title(), "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", failures);
            return;
        }
        List<Double> seconds = row.seconds();
        table.row(
                limit,
                heap,
                row.reader.title(),
                text("%.2f", row.median()),
                text("%.2f", seconds.get(0)),
                text("%.2f", seconds.get(seconds.size() - 1)),
                text("%.1f", row.endedPerMinute()),
                text("%.2f", row.cpu() / row.wall()),
                megabytes(row.most(CellFigures.Memory::readAheadPeak)),
                megabytes(row.most(CellFigures.Memory::readAheadBudget)),
                megabytes(row.most(CellFigures.Memory::heapAfterGc)),
                text("%.3f", row.gcPerRound()),
                megabytes(row.perRound(CellFigures.Work::memorySpilled)),
                megabytes(row.perRound(CellFigures.Work::diskSpilled)),
                failures);
    }

    private static String megabytes(long bytes) {
        return text("%.1f", (double) bytes / MB);
    }

    private static String text(String pattern, double value) {
        return String.format(Locale.ROOT, pattern, value);
    }
}
