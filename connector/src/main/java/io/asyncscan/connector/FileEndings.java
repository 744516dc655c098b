// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.options.OptionKeys;
import java.util.List;
import java.util.Locale;

/** Decides by file endings what is read, when the option {@code fileFormat} is not given. */
final class FileEndings {
    private FileEndings() {}

    /**
     * Refuses files that do not end like Parquet files.
     *
     * @throws IllegalArgumentException naming the first other file and the option that settles it
     */
    static void requireParquet(List<String> files) {
        for (String file : files) {
            if (!isParquet(file)) {
                throw new IllegalArgumentException("asyncscan: cannot tell the format of " + file
                        + " by its ending; set option " + OptionKeys.FILE_FORMAT + " to parquet if it is Parquet"
                        + " (allowed: parquet)");
            }
        }
    }

    private static boolean isParquet(String file) {
        String lower = file.toLowerCase(Locale.ROOT);
        return lower.endsWith(".parquet") || lower.endsWith(".parq") || lower.endsWith(".par") || lower.endsWith(".pq");
    }
}
