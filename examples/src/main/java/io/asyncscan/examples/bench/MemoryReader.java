// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Who reads in a JVM of {@link MemoryBench}. */
enum MemoryReader {
    SPARK("spark", "Spark's own", "parquet"),
    ASYNCSCAN("asyncscan", "asyncscan", "asyncscan"),
    /** The same plans as Spark's own, with their scans replaced. */
    EXTENSION("extension", "extension", "parquet");

    private final String id;
    private final String title;
    private final String format;

    MemoryReader(String id, String title, String format) {
        this.id = id;
        this.title = title;
        this.format = format;
    }

    /** What {@code --readers} calls it. */
    String id() {
        return id;
    }

    /** What tables call it. */
    String title() {
        return title;
    }

    /** What {@code spark.read.format} is given. */
    String format() {
        return format;
    }

    /** Spark settings it needs. */
    Map<String, String> conf() {
        return this == EXTENSION
                ? Map.of(
                        "spark.sql.extensions",
                        "io.asyncscan.connector.AsyncScanExtensions",
                        "spark.asyncscan.extensionSchemes",
                        "*")
                : Map.of();
    }

    static MemoryReader of(String id) {
        for (MemoryReader reader : values()) {
            if (reader.id.equals(id)) {
                return reader;
            }
        }
        throw new UserError("No reader is called " + id + ". There are: spark asyncscan extension.");
    }

    /** Reads a list such as {@code spark,asyncscan}. */
    static List<MemoryReader> parse(String text) {
        List<MemoryReader> readers = new ArrayList<>();
        for (String id : text.split(",", -1)) {
            readers.add(of(id));
        }
        return readers;
    }
}
