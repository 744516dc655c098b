// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.csv.CSVOptions;

/**
 * Refuses encodings in which lines cannot be told apart: Spark's reader looks for the byte of a line feed, which in
 * UTF-16 and its like is half a character, and returns garbage without an error.
 *
 * <p>Internals: {@link CSVOptions}, Spark's own reading of the options.
 */
final class LineEncoding {
    private LineEncoding() {}

    /** @throws IllegalArgumentException naming the encoding and the remedy */
    static void check(CSVOptions options) {
        Charset charset = Charset.forName(options.charset());
        if (options.multiLine() || Arrays.equals("\n".getBytes(charset), "\n".getBytes(StandardCharsets.US_ASCII))) {
            return;
        }
        boolean separated = options.lineSeparator().isDefined();
        if (separated && !marksItsOrder(charset)) {
            return;
        }
        throw new IllegalArgumentException("asyncscan: CSV in encoding " + charset
                + " cannot be read line by line, because "
                + (separated
                        ? "the line separator of option lineSep would be looked for with a byte order mark in front"
                        : "a line feed is not a single byte in it")
                + "; Spark's reader would return garbage. Set option multiLine to true"
                + (separated ? ", or an encoding that names its byte order, such as UTF-16LE" : ""));
    }

    /** Whether every encoded string begins with a byte order mark. */
    private static boolean marksItsOrder(Charset charset) {
        return 2 * "\n".getBytes(charset).length > "\n\n".getBytes(charset).length;
    }
}
