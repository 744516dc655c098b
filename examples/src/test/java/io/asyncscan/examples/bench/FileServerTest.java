// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.asyncscan.examples.s3.Shape;
import io.asyncscan.examples.s3.Traffic;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

class FileServerTest {
    private static final byte[] CONTENT = new byte[300_001];

    static {
        new Random(1).nextBytes(CONTENT);
    }

    @TempDir
    private java.nio.file.Path root;

    private FileServer server;
    private FileSystem fs;
    private S3Client client;

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(root.resolve("bucket/dir/deep"));
        Files.write(root.resolve("bucket/dir/a"), CONTENT);
        Files.write(root.resolve("bucket/dir/deep/b"), new byte[5]);
        server = new FileServer(root, 0, Shape.UNSHAPED);
        Configuration conf = new Configuration();
        server.sparkConf().forEach((key, value) -> conf.set(key.substring("spark.hadoop.".length()), value));
        fs = FileSystem.newInstance(new Path("s3a://bucket/").toUri(), conf);
        client = ((S3AFileSystem) fs).getS3AInternals().getAmazonS3Client("test");
    }

    @AfterEach
    void stop() throws IOException {
        fs.close();
        server.close();
    }

    @Test
    void servesRangesExactlyAndCountsThem() {
        server.link().traffic().reset();
        ResponseBytes<GetObjectResponse> middle = get("bytes=70000-269999");
        assertArrayEquals(Arrays.copyOfRange(CONTENT, 70_000, 270_000), middle.asByteArrayUnsafe());
        assertEquals("bytes 70000-269999/300001", middle.response().contentRange());
        assertArrayEquals(
                Arrays.copyOfRange(CONTENT, 299_994, 300_001), get("bytes=-7").asByteArrayUnsafe());
        assertArrayEquals(
                Arrays.copyOfRange(CONTENT, 300_000, 300_001),
                get("bytes=300000-").asByteArrayUnsafe());
        Traffic.Snapshot traffic = server.link().traffic().snapshot();
        assertEquals(3, traffic.gets());
        assertEquals(200_008, traffic.bytes());
    }

    @Test
    void refusesWhatS3Refuses() {
        assertEquals(416, status(request("dir/a").range("bytes=300001-").build()));
        assertEquals(404, status(request("dir/none").build()));
        assertEquals(412, status(request("dir/a").ifMatch("\"other\"").build()));
    }

    @Test
    void listsLikeADirectory() throws IOException {
        assertEquals(
                List.of("a", "deep"),
                Arrays.stream(fs.listStatus(new Path("/dir")))
                        .map(status -> status.getPath().getName())
                        .sorted()
                        .toList());
        assertEquals(CONTENT.length, fs.getFileStatus(new Path("/dir/a")).getLen());
        assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(new Path("/none")));
    }

    @Test
    void pinsTheVersionThatWasListed() throws IOException {
        byte[] tail = new byte[10];
        try (FSDataInputStream in = fs.open(new Path("/dir/a"))) {
            in.readFully(CONTENT.length - 10L, tail);
        }
        assertArrayEquals(Arrays.copyOfRange(CONTENT, CONTENT.length - 10, CONTENT.length), tail);
    }

    private ResponseBytes<GetObjectResponse> get(String range) {
        return client.getObjectAsBytes(request("dir/a").range(range).build());
    }

    private int status(GetObjectRequest request) {
        return assertThrows(S3Exception.class, () -> client.getObjectAsBytes(request))
                .statusCode();
    }

    private static GetObjectRequest.Builder request(String key) {
        return GetObjectRequest.builder().bucket("bucket").key(key);
    }
}
