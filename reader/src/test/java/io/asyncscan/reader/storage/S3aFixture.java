// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.S3AFileSystem;

/** An S3A file system that talks to a {@link FaultServer}. */
final class S3aFixture implements AutoCloseable {
    static final String ACCESS_KEY = "AKIDEXAMPLE";
    static final String SECRET_KEY = "SECRETEXAMPLE";

    final FaultServer server = new FaultServer();
    final S3AFileSystem fs;

    S3aFixture(String... keysAndValues) throws IOException {
        Configuration conf = new Configuration(false);
        conf.addResource("core-default.xml");
        conf.set("fs.s3a.endpoint", server.endpoint());
        conf.set("fs.s3a.endpoint.region", "us-east-1");
        conf.set("fs.s3a.path.style.access", "true");
        conf.set("fs.s3a.connection.ssl.enabled", "false");
        conf.set("fs.s3a.access.key", ACCESS_KEY);
        conf.set("fs.s3a.secret.key", SECRET_KEY);
        conf.set("fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
        // The default of Hadoop 3.5 needs a library that nothing here uses.
        conf.set("fs.s3a.input.stream.type", "classic");
        conf.set("fs.s3a.audit.reject.out.of.span.operations", "true");
        for (int i = 0; i < keysAndValues.length; i += 2) {
            conf.set(keysAndValues[i], keysAndValues[i + 1]);
        }
        URI bucket = URI.create("s3a://" + FaultServer.BUCKET);
        S3AFileSystem created = new S3AFileSystem();
        created.initialize(bucket, conf);
        fs = created;
    }

    FileSystem fileSystem() {
        return fs;
    }

    FileRef put(String key, byte[] content) {
        server.put(key, content);
        return listed(key, content.length);
    }

    static FileRef listed(String key, int length) {
        return FileRef.listed("s3a://" + FaultServer.BUCKET + "/" + key, length, 1767323045000L);
    }

    @Override
    public void close() throws IOException {
        server.close();
        fs.close();
    }
}
