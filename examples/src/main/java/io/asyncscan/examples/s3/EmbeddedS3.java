// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import com.google.common.io.ByteSource;
import com.google.common.io.Files;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.domain.Blob;
import org.gaul.s3proxy.blobstore.domain.BlobMetadata;
import org.gaul.s3proxy.blobstore.options.CreateContainerOptions;
import org.gaul.s3proxy.blobstore.options.PutOptions;

/**
 * An S3 server in this process, on a loopback port, that checks AWS V4 signatures, keeps its objects in memory or in a
 * directory, and reads as slowly as its {@link Shape} says.
 *
 * <pre>{@code
 * try (EmbeddedS3 s3 = EmbeddedS3.builder().shape(Shape.S3).start()) {
 *     s3.createBucket("bucket");
 *     s3.put("bucket", "a.parquet", file);
 *     s3.hadoopConf().forEach(conf::set);
 *     ...
 *     s3.traffic().snapshot().gets();
 * }
 * }</pre>
 *
 * <p>Who started it closes it; that ends its threads. Objects in memory are gone then, a directory stays. Safe from any
 * thread.
 */
public final class EmbeddedS3 implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final BlobStore store;
    private final Link link;
    private final S3Proxy server;
    private final String accessKey;
    private final String secretKey;

    private EmbeddedS3(Builder builder) throws IOException {
        link = new Link(builder.shape);
        accessKey = builder.accessKey;
        secretKey = builder.secretKey;
        Properties properties = new Properties();
        if (builder.directory == null) {
            store = BlobStores.create("transient-nio2", properties);
        } else {
            java.nio.file.Files.createDirectories(builder.directory);
            properties.setProperty(
                    "jclouds.filesystem.basedir",
                    builder.directory.toAbsolutePath().toString());
            store = BlobStores.create("filesystem-nio2", properties);
        }
        server = S3Proxy.builder()
                .blobStore(new ShapedBlobStore(store, link))
                .endpoint(URI.create("http://" + HOST + ":" + builder.port))
                .awsAuthentication(AuthenticationType.AWS_V4, accessKey, secretKey)
                .build();
        try {
            server.start();
        } catch (Exception e) {
            close();
            throw startFailure(builder.port, e);
        }
    }

    /** Collects the settings; every one has a default. */
    public static Builder builder() {
        return new Builder();
    }

    /** An unshaped server with its objects in memory, on a free port. */
    public static EmbeddedS3 startInMemory() throws IOException {
        return builder().start();
    }

    /** The port it listens on. */
    public int port() {
        return server.getPort();
    }

    /** The URI clients connect to. */
    public URI endpoint() {
        return URI.create("http://" + HOST + ":" + port());
    }

    /** The access key clients sign with. */
    public String accessKey() {
        return accessKey;
    }

    /** The secret key clients sign with. */
    public String secretKey() {
        return secretKey;
    }

    /** The {@code fs.s3a.*} settings with which Hadoop's S3A reaches this server. */
    public Map<String, String> hadoopConf() {
        Map<String, String> conf = new LinkedHashMap<>();
        conf.put("fs.s3a.endpoint", endpoint().toString());
        conf.put("fs.s3a.endpoint.region", "us-east-1");
        conf.put("fs.s3a.path.style.access", "true");
        conf.put("fs.s3a.connection.ssl.enabled", "false");
        conf.put("fs.s3a.access.key", accessKey);
        conf.put("fs.s3a.secret.key", secretKey);
        conf.put("fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
        return conf;
    }

    /** {@link #hadoopConf} as Spark settings: each key after {@code spark.hadoop.}. */
    public Map<String, String> sparkConf() {
        Map<String, String> conf = new LinkedHashMap<>();
        hadoopConf().forEach((key, value) -> conf.put("spark.hadoop." + key, value));
        return conf;
    }

    /** Creates a bucket; nothing happens if there is one. */
    public void createBucket(String bucket) {
        store.createContainer(bucket, CreateContainerOptions.NONE);
    }

    /** Stores a copy of a file as an object, past HTTP and shape; replaces what was there. */
    public void put(String bucket, String key, Path file) throws IOException {
        put(bucket, key, Files.asByteSource(file.toFile()));
    }

    /** Stores bytes as an object, past HTTP and shape; replaces what was there. */
    public void put(String bucket, String key, byte[] bytes) throws IOException {
        put(bucket, key, ByteSource.wrap(bytes));
    }

    private void put(String bucket, String key, ByteSource bytes) throws IOException {
        Blob blob = Blob.builder(key)
                .payload(bytes)
                .contentLength(bytes.size())
                .contentType("application/octet-stream")
                .build();
        store.putBlob(bucket, blob, PutOptions.NONE);
    }

    /** Length of an object in bytes; empty if there is none. */
    public Optional<Long> length(String bucket, String key) {
        return Optional.ofNullable(store.blobMetadata(bucket, key)).map(BlobMetadata::size);
    }

    /** Removes an object; nothing happens if there is none. */
    public void delete(String bucket, String key) {
        store.removeBlob(bucket, key);
    }

    /** Changes the shape for the requests that begin from now on. */
    public void shape(Shape shape) {
        link.shape(shape);
    }

    /** What was asked for and what was sent. */
    public Traffic traffic() {
        return link.traffic();
    }

    @Override
    public void close() throws IOException {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IOException("The embedded S3 server did not stop", e);
        } finally {
            store.close();
        }
    }

    private static IOException startFailure(int port, Exception e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                BindException occupied = new BindException(
                        "Port " + port + " of " + HOST + " is in use. Choose another, or 0 for a free one.");
                occupied.initCause(e);
                return occupied;
            }
        }
        return new IOException("The embedded S3 server did not start on port " + port, e);
    }

    /** Settings of a server. */
    public static final class Builder {
        private int port;
        private Path directory;
        private Shape shape = Shape.UNSHAPED;
        private String accessKey = "examplekey";
        private String secretKey = "examplesecret";

        private Builder() {}

        /** Loopback port; 0, the default, takes a free one. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /** Keeps objects in files below this directory, which is created if need be. By default they are in memory. */
        public Builder directory(Path value) {
            directory = value;
            return this;
        }

        /** How slowly it reads; not at all by default. */
        public Builder shape(Shape value) {
            shape = value;
            return this;
        }

        /** The only keys it accepts. */
        public Builder credentials(String access, String secret) {
            accessKey = access;
            secretKey = secret;
            return this;
        }

        /**
         * Starts the server.
         *
         * @throws BindException if the port is in use
         */
        public EmbeddedS3 start() throws IOException {
            return new EmbeddedS3(this);
        }
    }
}
