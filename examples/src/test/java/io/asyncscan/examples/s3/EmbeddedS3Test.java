// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.S3AFileStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

class EmbeddedS3Test {
    private static final String BUCKET = "bucket";
    private static final String KEY = "some/object";

    /** More than ten slices, and no multiple of one. */
    private static final byte[] CONTENT = new byte[700_001];

    static {
        new Random(42).nextBytes(CONTENT);
    }

    @TempDir
    private Path directory;

    @Test
    void servesRangesExactlyAndCountsThem() throws IOException {
        try (EmbeddedS3 s3 = withObject(EmbeddedS3.builder());
                S3Client client = client(s3, s3.secretKey())) {
            s3.traffic().reset();
            ResponseBytes<GetObjectResponse> middle = get(client, "bytes=100000-299999");
            assertArrayEquals(Arrays.copyOfRange(CONTENT, 100_000, 300_000), middle.asByteArrayUnsafe());
            assertEquals("bytes 100000-299999/700001", middle.response().contentRange());
            ResponseBytes<GetObjectResponse> tail = get(client, "bytes=-1000");
            assertArrayEquals(Arrays.copyOfRange(CONTENT, 699_001, 700_001), tail.asByteArrayUnsafe());
            assertEquals("bytes 699001-700000/700001", tail.response().contentRange());

            Traffic.Snapshot traffic = s3.traffic().snapshot();
            assertEquals(2, traffic.gets());
            assertEquals(0, traffic.heads());
            assertEquals(201_000, traffic.bytes());
            assertEquals(201_000, Arrays.stream(traffic.bytesPerBucket()).sum());
        }
    }

    @Test
    void pinsTheVersion() throws IOException {
        try (EmbeddedS3 s3 = withObject(EmbeddedS3.builder());
                S3Client client = client(s3, s3.secretKey())) {
            String etag = client.headObject(request -> request.bucket(BUCKET).key(KEY))
                    .eTag();
            assertEquals(
                    200_000,
                    client.getObjectAsBytes(request -> request.bucket(BUCKET)
                                    .key(KEY)
                                    .ifMatch(etag)
                                    .range("bytes=0-199999"))
                            .asByteArrayUnsafe()
                            .length);
            s3.put(BUCKET, KEY, new byte[300_000]);
            S3Exception changed = assertThrows(
                    S3Exception.class,
                    () -> client.getObjectAsBytes(
                            request -> request.bucket(BUCKET).key(KEY).ifMatch(etag)));
            assertEquals(412, changed.statusCode());
        }
    }

    @Test
    void refusesAWrongSignature() throws IOException {
        try (EmbeddedS3 s3 = withObject(EmbeddedS3.builder());
                S3Client client = client(s3, "another secret")) {
            S3Exception refused = assertThrows(S3Exception.class, () -> get(client, "bytes=0-9"));
            assertEquals(403, refused.statusCode());
            assertEquals("SignatureDoesNotMatch", refused.awsErrorDetails().errorCode());
            assertEquals(0, s3.traffic().snapshot().bytes());
        }
    }

    @Test
    void keepsADirectory() throws IOException {
        try (EmbeddedS3 s3 = withObject(EmbeddedS3.builder().directory(directory))) {
            assertEquals(Optional.of(700_001L), s3.length(BUCKET, KEY));
        }
        try (EmbeddedS3 s3 = EmbeddedS3.builder().directory(directory).start();
                S3Client client = client(s3, s3.secretKey())) {
            assertArrayEquals(
                    Arrays.copyOfRange(CONTENT, 5, 10), get(client, "bytes=5-9").asByteArrayUnsafe());
            s3.delete(BUCKET, KEY);
            assertEquals(Optional.empty(), s3.length(BUCKET, KEY));
        }
    }

    @Test
    void worksWithHadoopsFileSystem() throws IOException {
        try (EmbeddedS3 s3 = withObject(EmbeddedS3.builder())) {
            Configuration conf = new Configuration();
            s3.hadoopConf().forEach(conf::set);
            org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("s3a://" + BUCKET + "/" + KEY);
            try (FileSystem fs = FileSystem.newInstance(path.toUri(), conf)) {
                S3AFileStatus status = (S3AFileStatus) fs.listStatus(path.getParent())[0];
                assertEquals(CONTENT.length, status.getLen());
                assertFalse(status.getEtag().isEmpty());
                s3.traffic().reset();
                byte[] read = new byte[1000];
                try (FSDataInputStream in = fs.open(path)) {
                    in.readFully(500_000, read);
                }
                assertArrayEquals(Arrays.copyOfRange(CONTENT, 500_000, 501_000), read);
                Traffic.Snapshot traffic = s3.traffic().snapshot();
                assertEquals(1, traffic.gets());
                assertEquals(1, traffic.heads());
            }
        }
    }

    @Test
    void namesAnOccupiedPort() throws IOException {
        try (EmbeddedS3 s3 = EmbeddedS3.startInMemory()) {
            BindException occupied = assertThrows(
                    BindException.class,
                    () -> EmbeddedS3.builder().port(s3.port()).start());
            assertTrue(occupied.getMessage().contains("Port " + s3.port()), occupied.getMessage());
        }
    }

    @Test
    void givesSparkTheSameSettings() throws IOException {
        try (EmbeddedS3 s3 = EmbeddedS3.startInMemory()) {
            Map<String, String> conf = s3.sparkConf();
            assertEquals(s3.hadoopConf().size(), conf.size());
            assertEquals(s3.endpoint().toString(), conf.get("spark.hadoop.fs.s3a.endpoint"));
        }
    }

    private static EmbeddedS3 withObject(EmbeddedS3.Builder builder) throws IOException {
        EmbeddedS3 s3 = builder.start();
        s3.createBucket(BUCKET);
        s3.put(BUCKET, KEY, CONTENT);
        return s3;
    }

    private static ResponseBytes<GetObjectResponse> get(S3Client client, String range) {
        return client.getObjectAsBytes(
                request -> request.bucket(BUCKET).key(KEY).range(range));
    }

    private static S3Client client(EmbeddedS3 s3, String secret) {
        return S3Client.builder()
                .endpointOverride(s3.endpoint())
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .httpClient(ApacheHttpClient.create())
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(s3.accessKey(), secret)))
                .build();
    }
}
