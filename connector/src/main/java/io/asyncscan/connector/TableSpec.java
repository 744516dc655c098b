// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.FileRelation;
import io.asyncscan.connector.bridge.Json;
import io.asyncscan.connector.bridge.SessionSettings;
import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.types.StructType;

/**
 * What a read was given.
 *
 * @param options as the user wrote them, paths included
 * @param schema the user's, or null
 */
record TableSpec(Map<String, String> options, StructType schema) {

    /** The paths, in the order given; a path given twice is read twice. */
    List<String> paths() {
        Map<String, String> lookup = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        lookup.putAll(options);
        List<String> paths = new ArrayList<>();
        if (lookup.containsKey("paths")) {
            paths.addAll(Json.strings(lookup.get("paths")));
        }
        if (lookup.containsKey("path")) {
            paths.add(lookup.get("path"));
        }
        if (paths.isEmpty()) {
            throw new IllegalArgumentException(
                    "asyncscan: no path given; use load(path...), option(\"path\", ...) or OPTIONS (path '...')");
        }
        return paths;
    }

    /** The typed options. */
    ReadOptions readOptions() {
        return OptionsParser.read(options, SessionSettings.active());
    }

    /** Lists the files and infers what was not given. */
    FileRelation resolve() {
        ReadOptions typed = readOptions();
        Map<String, String> others = new HashMap<>();
        options.forEach((key, value) -> {
            String lower = key.toLowerCase(Locale.ROOT);
            if (!lower.equals("path") && !lower.equals("paths")) {
                others.put(key, value);
            }
        });
        return FileRelation.resolve(typed.fileFormat(), paths(), others, schema);
    }
}
