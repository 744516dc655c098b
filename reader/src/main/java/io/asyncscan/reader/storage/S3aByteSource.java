// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.store.audit.AuditSpan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkServiceClientConfiguration;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryPolicy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * Range requests through the S3A file system's own synchronous client and request factory, so that all of the user's
 * {@code fs.s3a.*} settings hold: credentials, endpoint, region, proxies, SSE-C, requester pays, audit.
 *
 * <p>Only what has the same descriptor in Hadoop 3.4.1 to 3.5.0 and in the AWS SDK 2.25 to 2.35 is used. The class is loaded
 * only where hadoop-aws is. It owns nothing: client and connections belong to the file system, which has to outlive it.
 */
final class S3aByteSource implements ByteSource {
    /** How S3A's audit log names the reading of an object. */
    private static final String AUDIT_OPERATION = "op_open";

    /** How long an error waits for its details. */
    private static final Duration HEAD_TIMEOUT = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(S3aByteSource.class);

    private final S3AFileSystem fs;
    private final Duration progressTimeout;

    private S3aByteSource(S3AFileSystem fs, Duration progressTimeout) {
        this.fs = fs;
        this.progressTimeout = progressTimeout;
    }

    /**
     * A source for {@code fs} if it is an S3A file system whose objects are stored as they are read.
     *
     * @return empty for any other file system, and with client-side encryption: there a range of the object is not a range
     *     of the file
     * @throws LinkageError when the S3A or SDK on the class path is not one this class knows
     */
    static Optional<ByteSource> open(FileSystem fs, Duration progressTimeout) {
        if (!(fs instanceof S3AFileSystem s3a) || s3a.isCSEEnabled()) {
            return Optional.empty();
        }
        S3aByteSource source = new S3aByteSource(s3a, progressTimeout);
        source.link();
        return Optional.of(source);
    }

    /** Builds a request and throws it away: a class path that does not fit shows here and not in the middle of a scan. */
    private void link() {
        ReadRange probe = new ReadRange(FileRef.listed("probe", 1, 0), 0, 1);
        S3aExchange exchange = new S3aExchange(
                probe, new byte[1], 0, NullScope.INSTANCE, NullScope.INSTANCE::cancelled, progressTimeout);
        request("probe", "bytes=0-0", null, exchange);
        exchange.finish();
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        ReadRange range = new ReadRange(file, offset, length);
        range.checkTarget(target, at);
        exchange(range, "bytes=" + offset + "-" + range.last(), target, at, scope, scope);
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        ReadRange range = ReadRange.tail(file, length);
        byte[] target = new byte[length];
        S3aExchange exchange = exchange(range, "bytes=-" + length, target, 0, scope, NullScope.INSTANCE);
        scope.received(length);
        FileRef pinned =
                file.etag() != null ? file : file.pinnedTo(exchange.etag().orElse(null));
        return new FileTail(pinned, target);
    }

    @Override
    public Optional<FileTail> open(String path, int length, ReadScope scope) throws IOException {
        ReadRange guess = ReadRange.tail(FileRef.listed(path, length, 0), length);
        S3aExchange exchange = S3aExchange.opening(guess, scope::cancelled, progressTimeout);
        try (AuditSpan span = fs.createSpan(AUDIT_OPERATION, path, null)) {
            span.activate();
            GetObjectRequest request = request(fs.pathToKey(new Path(path)), "bytes=-" + length, null, exchange);
            scope.requestSent();
            client().getObject(request, exchange);
        } catch (SdkException | IllegalStateException e) {
            if (e instanceof AwsServiceException refused && refused.statusCode() == 404) {
                throw S3aErrors.absent(path, refused);
            }
            if (e instanceof AbortedException) {
                // The SDK may have taken the flag.
                Thread.currentThread().interrupt();
            }
            LOG.debug("{} could not be opened at once", path, e);
            return Optional.empty();
        } finally {
            exchange.finish();
        }
        FileTail tail = exchange.tail();
        scope.received(tail.bytes().length);
        return Optional.of(tail);
    }

    private S3aExchange exchange(
            ReadRange range, String header, byte[] target, int at, ReadScope scope, ReadScope counter)
            throws IOException {
        S3aExchange exchange = new S3aExchange(range, target, at, counter, scope::cancelled, progressTimeout);
        // Creating a span makes it the calling thread's. It has to last for the request that an error message needs.
        try (AuditSpan span = fs.createSpan(AUDIT_OPERATION, range.file().path(), null)) {
            span.activate();
            send(range, header, exchange, scope);
            return exchange;
        } catch (IllegalStateException e) {
            throw S3aErrors.closed(range.file(), e);
        }
    }

    private void send(ReadRange range, String header, S3aExchange exchange, ReadScope scope) throws IOException {
        FileRef file = range.file();
        scope.onCancel(exchange::abort);
        try {
            if (scope.cancelled()) {
                throw cancelled(range, exchange, null);
            }
            GetObjectRequest request = request(fs.pathToKey(new Path(file.path())), header, file.etag(), exchange);
            scope.requestSent();
            client().getObject(request, exchange);
        } catch (SdkException | IllegalStateException e) {
            // First, so that a request for the error message is not aborted too.
            exchange.finish();
            throw translate(e, range, exchange, scope);
        } finally {
            exchange.finish();
            scope.clearOnCancel();
        }
    }

    /** Asked for every time, because the file system replaces and closes its client as it likes. */
    private S3Client client() {
        return fs.getS3AInternals().getAmazonS3Client("asyncscan");
    }

    private GetObjectRequest request(String key, String rangeHeader, String etag, S3aExchange exchange) {
        GetObjectRequest.Builder builder = fs.getRequestFactory().newGetObjectRequestBuilder(key);
        builder.range(rangeHeader);
        if (etag != null) {
            EntityTags.ifMatch(etag).ifPresent(builder::ifMatch);
        }
        AwsRequestOverrideConfiguration.Builder override = extended(builder.overrideConfiguration());
        // The exchange captures both timeouts and applies its own; without them the SDK would have nothing to capture.
        override.apiCallAttemptTimeout(progressTimeout);
        override.apiCallTimeout(progressTimeout.multipliedBy(2));
        override.addPlugin(config -> oneAttempt(config, exchange));
        builder.overrideConfiguration(override.build());
        return builder.build();
    }

    /** The retry policy's successor came with SDK 2.26, and Hadoop 3.4.1 runs on 2.25. */
    @SuppressWarnings("deprecation")
    private static void oneAttempt(SdkServiceClientConfiguration.Builder config, S3aExchange exchange) {
        config.overrideConfiguration(config.overrideConfiguration().toBuilder()
                .retryPolicy(RetryPolicy.none())
                .scheduledExecutorService(new CapturingScheduler(exchange::captured))
                .build());
    }

    private IOException translate(RuntimeException e, ReadRange range, S3aExchange exchange, ReadScope scope) {
        if (scope.cancelled()) {
            return cancelled(range, exchange, e);
        }
        String what = range.describe(exchange.received());
        if (exchange.stalled()) {
            return new IOException("no byte for " + progressTimeout.toMillis() + " ms: " + what, e);
        }
        Optional<IOException> fault = exchange.fault();
        if (fault.isPresent()) {
            IOException known = fault.get();
            return known instanceof FileChangedException || known instanceof UnrecoverableReadException
                    ? known
                    : S3aErrors.body(known, what);
        }
        if (e instanceof IllegalStateException) {
            return S3aErrors.closed(range.file(), e);
        }
        return S3aErrors.request((SdkException) e, range, what, () -> head(range.file(), scope));
    }

    private static ReadCancelledException cancelled(ReadRange range, S3aExchange exchange, Throwable cause) {
        return new ReadCancelledException("cancelled: " + range.describe(exchange.received()), cause);
    }

    /** What is there now, to say so in an error; empty when the store does not tell soon. */
    private Optional<HeadObjectResponse> head(FileRef file, ReadScope scope) {
        try {
            HeadObjectRequest.Builder builder =
                    fs.getRequestFactory().newHeadObjectRequestBuilder(fs.pathToKey(new Path(file.path())));
            builder.overrideConfiguration(extended(builder.overrideConfiguration())
                    .apiCallTimeout(HEAD_TIMEOUT)
                    .build());
            scope.requestSent();
            return Optional.of(client().headObject(builder.build()));
        } catch (SdkException | IllegalStateException e) {
            return Optional.empty();
        }
    }

    /** Setting an override configuration replaces the factory's, so it is extended instead. */
    private static AwsRequestOverrideConfiguration.Builder extended(AwsRequestOverrideConfiguration given) {
        return given == null ? AwsRequestOverrideConfiguration.builder() : given.toBuilder();
    }
}
