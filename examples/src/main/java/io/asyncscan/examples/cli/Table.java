// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.cli;

import java.util.ArrayList;
import java.util.List;

/** Aligned text: the first column to the left, all others to the right. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    /** A table with these headings. */
    public Table(String... headings) {
        rows.add(List.of(headings));
    }

    /** Adds a row with as many cells as there are headings. */
    public Table row(String... cells) {
        if (cells.length != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    "a row of " + cells.length + " cells, not " + rows.get(0).size());
        }
        rows.add(List.of(cells));
        return this;
    }

    @Override
    public String toString() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            for (int i = 0; i < columns; i++) {
                String cell = rows.get(r).get(i);
                String padding = " ".repeat(widths[i] - cell.length());
                out.append(i == 0 ? cell + padding : "  " + padding + cell);
            }
            out.append(System.lineSeparator());
            if (r == 0) {
                int width = 2 * (columns - 1);
                for (int w : widths) {
                    width += w;
                }
                out.append("-".repeat(width)).append(System.lineSeparator());
            }
        }
        return out.toString();
    }
}
