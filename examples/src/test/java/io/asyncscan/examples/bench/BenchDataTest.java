// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchDataTest {
    @Test
    void aBucketIsTheHostOfAUri() {
        for (double scale : List.of(0.001, 0.1, 1.0, 2.5, 10.0, 100.0)) {
            BenchData data = new BenchData(Path.of("data"), BenchData.bucket(scale));
            assertEquals(data.bucket(), URI.create(data.remote(BenchData.FILE)).getHost());
        }
    }

    @Test
    void scalesHaveBucketsOfTheirOwn() {
        assertEquals("sf10", BenchData.bucket(10));
        assertEquals("sf1", BenchData.bucket(1.0));
        assertEquals("sf0-25", BenchData.bucket(0.25));
    }
}
