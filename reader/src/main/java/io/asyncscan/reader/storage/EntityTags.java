// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.util.Optional;

/** Entity tags as stores, listings and file systems spell them: with quotes, without, or weak. */
final class EntityTags {
    private EntityTags() {}

    /**
     * What to send as If-Match for {@code tag}. Empty for a weak tag: If-Match compares strongly, so a weak one would never
     * match (RFC 9110, 13.1.1); such a tag is compared with the response's instead.
     */
    static Optional<String> ifMatch(String tag) {
        if (tag.startsWith("W/")) {
            return Optional.empty();
        }
        return Optional.of(tag.startsWith("\"") ? tag : '"' + tag + '"');
    }

    /** Whether both name the same version, whatever their quotes. */
    static boolean same(String a, String b) {
        return bare(a).equals(bare(b));
    }

    private static String bare(String tag) {
        String strong = tag.startsWith("W/") ? tag.substring(2) : tag;
        boolean quoted = strong.length() >= 2 && strong.startsWith("\"") && strong.endsWith("\"");
        return quoted ? strong.substring(1, strong.length() - 1) : strong;
    }
}
