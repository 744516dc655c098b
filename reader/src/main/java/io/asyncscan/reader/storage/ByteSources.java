// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses how to read a file system: by its class, because one scheme may stand for several ({@code s3:} on EMR). */
public final class ByteSources {
    private static final Logger LOG = LoggerFactory.getLogger(ByteSources.class);
    private static final String S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem";

    private ByteSources() {}

    /**
     * A source of the bytes of {@code fs} that retries as {@code policy} says: S3A through its own S3 client, everything
     * else, S3A with client-side encryption too, through Hadoop's streams.
     *
     * @param fs stays the caller's, who closes it after the last read
     */
    public static ByteSource forFileSystem(FileSystem fs, RetryPolicy policy) {
        return new RetryingByteSource(oneAttempt(fs, policy), policy);
    }

    static ByteSource oneAttempt(FileSystem fs, RetryPolicy policy) {
        HadoopByteSource hadoop = new HadoopByteSource(fs);
        if (!isS3a(fs)) {
            return hadoop;
        }
        try {
            Optional<ByteSource> s3a = S3aByteSource.open(fs, policy.progressTimeout());
            return s3a.isPresent() ? new LinkSafeByteSource(s3a.get(), hadoop) : hadoop;
        } catch (LinkageError e) {
            LOG.warn(
                    "the S3A file system on the class path is not one asyncscan knows; reading through its streams", e);
            return hadoop;
        }
    }

    /** By name, so that nothing of hadoop-aws is loaded where it is not in use. */
    static boolean isS3a(FileSystem fs) {
        for (Class<?> type = fs.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(S3A)) {
                return true;
            }
        }
        return false;
    }
}
