// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import io.asyncscan.connector.options.ReadOptions.FileFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Decides by file endings what is read, when the option {@code fileFormat} is not given. */
public final class FileEndings {
    private static final Set<String> PARQUET = Set.of("parquet", "parq", "par", "pq");
    private static final Set<String> CSV = Set.of("csv");
    private static final Set<String> TABS = Set.of("tsv");
    private static final Set<String> JSON = Set.of("json", "jsonl", "ndjson");
    private static final Set<String> TEXT = Set.of("txt", "text");

    /** What Hadoop's and Spark's codecs are known by. Parquet files are compressed within. */
    private static final Set<String> COMPRESSED =
            Set.of("gz", "gzip", "bz2", "zst", "zstd", "lz4", "snappy", "deflate");

    /**
     * What endings say.
     *
     * @param format what the files are
     * @param implied options of Spark's source that go with the ending, unless the read sets them
     */
    public record Guess(FileFormat format, Map<String, String> implied) {}

    private static final Guess NOTHING_TO_READ = new Guess(FileFormat.PARQUET, Map.of());

    private FileEndings() {}

    /**
     * What {@code files} are; Parquet if there are none.
     *
     * @throws IllegalArgumentException if an ending is not known or they differ, naming the file and the option that
     *     settles it
     */
    public static Guess guess(List<String> files) {
        Guess all = null;
        String first = null;
        for (String file : files) {
            Guess guess = guess(file);
            if (guess == null) {
                throw new IllegalArgumentException("asyncscan: cannot tell the format of " + file
                        + " by its ending; set option " + OptionKeys.FILE_FORMAT + " (allowed: " + FileFormat.allowed()
                        + ")");
            }
            if (all == null) {
                all = guess;
                first = file;
            } else if (!all.equals(guess)) {
                throw new IllegalArgumentException("asyncscan: " + first + " and " + file
                        + " end differently, but one read has one format; set option " + OptionKeys.FILE_FORMAT
                        + " (allowed: " + FileFormat.allowed() + "), or read them one by one");
            }
        }
        return all == null ? NOTHING_TO_READ : all;
    }

    private static Guess guess(String file) {
        String name = file.substring(file.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        String ending = ending(name);
        if (PARQUET.contains(ending)) {
            return new Guess(FileFormat.PARQUET, Map.of());
        }
        if (COMPRESSED.contains(ending)) {
            ending = ending(name.substring(0, name.length() - ending.length() - 1));
        }
        if (CSV.contains(ending)) {
            return new Guess(FileFormat.CSV, Map.of());
        }
        if (TABS.contains(ending)) {
            return new Guess(FileFormat.CSV, Map.of("sep", "\t"));
        }
        if (JSON.contains(ending)) {
            return new Guess(FileFormat.JSON, Map.of());
        }
        return TEXT.contains(ending) ? new Guess(FileFormat.TEXT, Map.of()) : null;
    }

    /** What is behind the last dot; empty if there is none. */
    private static String ending(String name) {
        int dot = name.lastIndexOf('.');
        return dot < 0 ? "" : name.substring(dot + 1);
    }
}
