// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Content-Range header of a 206 response.
 *
 * @param first first byte (0-based)
 * @param last last byte, included
 * @param total length of the whole object (bytes)
 */
record ContentRange(long first, long last, long total) {
    // 18 digits always fit a long.
    private static final Pattern FORM = Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

    /** Empty when the header is missing, malformed or leaves the total open. */
    static Optional<ContentRange> parse(String value) {
        if (value == null) {
            return Optional.empty();
        }
        Matcher matcher = FORM.matcher(value.trim());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new ContentRange(
                Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3))));
    }
}
