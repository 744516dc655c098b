// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.run;

import java.util.Map;

/**
 * What is read.
 *
 * @param path file or directory
 * @param format what the files are, as Spark calls it
 * @param options of the read
 * @param schema as SQL writes it; empty to infer it
 */
public record Source(String path, String format, Map<String, String> options, String schema) {

    /** Parquet, which brings its schema along. */
    public static Source parquet(String path) {
        return new Source(path, "parquet", Map.of(), "");
    }

    /** CSV with a schema: inferring one would read everything twice. */
    public static Source csv(String path, Map<String, String> options, String schema) {
        return new Source(path, "csv", options, schema);
    }
}
