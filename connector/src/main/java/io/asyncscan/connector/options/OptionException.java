// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import java.io.Serial;
import java.util.Collection;
import java.util.Locale;

/** An option that cannot be used: names the key, the value and what is allowed. */
public final class OptionException extends IllegalArgumentException {
    @Serial
    private static final long serialVersionUID = 1L;

    private OptionException(String message) {
        super(message);
    }

    /** A value that is not one of the allowed ones. */
    static OptionException badValue(String key, String value, String allowed) {
        return new OptionException("asyncscan: option " + key + " is '" + value + "', allowed is " + allowed);
    }

    /** A key that does not exist. */
    static OptionException unknownKey(String key, Collection<String> known) {
        String nearest = null;
        int best = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(key.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < best) {
                best = distance;
                nearest = candidate;
            }
        }
        return new OptionException(
                "asyncscan: there is no setting '" + key + "'; the nearest one is '" + nearest + "'");
    }

    /** A key that only the SparkConf may set, found elsewhere. */
    static OptionException executorOnly(String key) {
        return new OptionException("asyncscan: option " + key + " holds for a whole executor; set " + OptionKeys.PREFIX
                + key + " in the SparkConf, before the application starts");
    }

    /** A key that only a session or the SparkConf may set, found on a read. */
    static OptionException sessionOnly(String key) {
        return new OptionException("asyncscan: option " + key + " is no option of a single read; set "
                + OptionKeys.PREFIX + key + " in the session or in the SparkConf");
    }

    /** The number of single-letter edits between two words (Levenshtein). */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(previous[j], row[j - 1]) + 1);
            }
            previous = row;
        }
        return previous[b.length()];
    }
}
