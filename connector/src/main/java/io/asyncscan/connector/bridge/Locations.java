// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Paths as they may be shown: credentials that somebody put into a URI are left out. */
public final class Locations {
    private static final int SHOWN = 3;
    private static final Pattern USER_INFO = Pattern.compile("//[^/]*@");

    private Locations() {}

    /** The first few of {@code paths}. */
    public static String describe(List<?> paths) {
        String shown = paths.stream()
                .limit(SHOWN)
                .map(path -> USER_INFO.matcher(path.toString()).replaceAll("//***@"))
                .collect(Collectors.joining(", "));
        return paths.size() <= SHOWN ? shown : shown + ", ... (" + paths.size() + " paths)";
    }
}
