// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.fs.s3a.CredentialInitializationException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * What the SDK throws, in the terms of {@link ByteSource}. Messages carry path, range, status and the store's error code and
 * request id; never the store's own message or a header, which may repeat keys and signatures.
 */
final class S3aErrors {
    /** The store's codes for credentials that had their time; 400 on S3, 403 elsewhere. */
    private static final Set<String> EXPIRED =
            Set.of("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken");

    /** Refusals that go away: a slow upload of the request, a clock that the SDK corrects after the first such answer. */
    private static final Set<String> PASSING =
            Set.of("RequestTimeout", "RequestTimeTooSkewed", "RequestExpired", "OperationAborted");

    private S3aErrors() {}

    static UnrecoverableReadException closed(FileRef file, RuntimeException cause) {
        return new UnrecoverableReadException(
                "cannot read " + file.path()
                        + ": its S3A file system is closed. Close file systems after the scan, or set"
                        + " fs.s3a.impl.disable.cache=true for the code that closes its own",
                cause);
    }

    /** A response that broke off or was not the one asked for. */
    static IOException body(IOException fault, String what) {
        String message = fault.getMessage();
        return message != null && message.contains(what)
                ? fault
                : new IOException("body broke off: " + what + ": " + message, fault);
    }

    /** @param now asks the store for the object as it is now, used only to say what was found in place of the planned one */
    static IOException request(
            SdkException e, ReadRange range, String what, Supplier<Optional<HeadObjectResponse>> now) {
        if (e instanceof AwsServiceException refused) {
            return refused(refused, range, what, now);
        }
        if (e instanceof CredentialInitializationException) {
            return denied(range.file().path(), "no credentials: " + e.getMessage(), e);
        }
        if (e instanceof AbortedException || Thread.currentThread().isInterrupted()) {
            // The SDK may have taken the flag: whoever interrupted wants it to stay.
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted: " + what);
            interrupted.initCause(e);
            return interrupted;
        }
        return new IOException("request failed: " + what + ": " + e.getMessage(), e);
    }

    /** The store has no object of that name, and nobody has said that it should. */
    static FileNotFoundException absent(String path, AwsServiceException e) {
        FileNotFoundException absent = new FileNotFoundException("no such object: " + path + " (" + code(e) + ")");
        absent.initCause(e);
        return absent;
    }

    private static IOException refused(
            AwsServiceException e, ReadRange range, String what, Supplier<Optional<HeadObjectResponse>> now) {
        FileRef file = range.file();
        int status = e.statusCode();
        String code = code(e);
        String answer = "status " + status + " " + code + ", request " + e.requestId();
        if (EXPIRED.contains(code)) {
            return new CredentialsExpiredException("credentials expired (" + answer + "): " + what, e);
        }
        if (PASSING.contains(code)) {
            return new IOException(answer + ": " + what, e);
        }
        if (status == 503 || status == 429 || e.isThrottlingException()) {
            return new ThrottledException("store asks to slow down (" + answer + "): " + what, e);
        }
        return switch (status) {
            case 404 -> {
                FileNotFoundException missing = new FileNotFoundException(
                        "no such object: " + file.path() + " (" + answer + "). It was there when the scan was planned");
                missing.initCause(e);
                yield missing;
            }
            case 401, 403 -> denied(file.path(), answer, e);
            case 412 -> new FileChangedException(changed(file, now.get()), e);
            case 416 -> outOfRange(e, range, what, answer, now);
            default -> {
                // 4xx beyond these say that the request is wrong, and it will be the same one next time.
                boolean rejected = status >= 300 && status < 500 && status != 408 && status != 409;
                yield rejected
                        ? new UnrecoverableReadException("store rejects the request (" + answer + "): " + what, e)
                        : new IOException(answer + ": " + what, e);
            }
        };
    }

    private static IOException outOfRange(
            AwsServiceException e,
            ReadRange range,
            String what,
            String answer,
            Supplier<Optional<HeadObjectResponse>> now) {
        Optional<HeadObjectResponse> found = now.get();
        boolean asPlanned = found.map(HeadObjectResponse::contentLength)
                .map(length -> length > range.last())
                .orElse(false);
        return asPlanned
                ? new IOException(answer + " though the object is long enough: " + what, e)
                : new FileChangedException(changed(range.file(), found), e);
    }

    private static String changed(FileRef file, Optional<HeadObjectResponse> found) {
        String expected = file.version()
                .map(tag -> "version " + tag)
                .orElse("modification time " + file.modificationTime() + " ms");
        return file.path() + " changed: expected " + expected + " of " + file.length() + " bytes, found "
                + found.map(head -> "version " + head.eTag() + " of " + head.contentLength() + " bytes")
                        .orElse("a version that the store does not tell");
    }

    private static AccessDeniedException denied(String path, String reason, Throwable cause) {
        AccessDeniedException denied = new AccessDeniedException(path, null, reason);
        denied.initCause(cause);
        return denied;
    }

    private static String code(AwsServiceException e) {
        AwsErrorDetails details = e.awsErrorDetails();
        return details == null || details.errorCode() == null ? "without code" : details.errorCode();
    }
}
