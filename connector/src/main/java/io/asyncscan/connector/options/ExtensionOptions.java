// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import java.util.Locale;
import java.util.Set;

/**
 * Options of the session extension.
 *
 * @param enabled false: all scans are left to Spark
 * @param schemes file systems' schemes, in lower case, whose scans are taken; empty for all
 */
public record ExtensionOptions(boolean enabled, Set<String> schemes) {

    /** Whether scans of files with this scheme are taken. */
    public boolean takes(String scheme) {
        return schemes.isEmpty() || schemes.contains(scheme.toLowerCase(Locale.ROOT));
    }
}
