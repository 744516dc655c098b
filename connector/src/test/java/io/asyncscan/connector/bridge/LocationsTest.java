// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;

class LocationsTest {
    @Test
    void showsAFewPathsAndHowManyThereAre() {
        assertEquals("", Locations.describe(List.of()));
        assertEquals("s3a://b/a, /c", Locations.describe(List.of("s3a://b/a", "/c")));
        assertEquals("a, b, c, ... (5 paths)", Locations.describe(List.of("a", "b", "c", "d", "e")));
    }

    @Test
    void showsNoCredentials() {
        assertEquals("s3a://***@bucket/a@b", Locations.describe(List.of("s3a://AKIA:secret@bucket/a@b")));
        for (String path : List.of(
                "s3a://AKIA:se@cret@bucket/x",
                "abfss://user:se%2Fcret@account.example/x",
                "hdfs://secret@host:8020/p")) {
            String shown = Locations.describe(List.of(path));
            assertFalse(shown.contains("cret"), shown);
        }
        assertEquals("s3a://bucket/dir@home/x", Locations.describe(List.of("s3a://bucket/dir@home/x")));
    }
}
