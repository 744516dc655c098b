// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/** The JSON in which Spark passes several paths to a data source. Uses the Jackson that Spark brings. */
public final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    /** An array of strings. */
    public static List<String> strings(String json) {
        try {
            return List.of(MAPPER.readValue(json, String[].class));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("option paths is not a JSON array of strings: " + json, e);
        }
    }
}
