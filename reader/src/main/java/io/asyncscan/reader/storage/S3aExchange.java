// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * One GET: checks the response, copies the body straight into the target, and can be aborted from another thread at any
 * point of the call.
 *
 * <p>Aborting goes through the task that the SDK schedules to enforce its own timeout (see {@link CapturingScheduler}): it
 * interrupts the calling thread and shuts the connection, which covers waiting for a connection, connecting, waiting for
 * headers and reading the body. A timer does the same to a call that makes no progress. The SDK's own timeout cannot serve:
 * it limits the whole attempt, and so gives up on large ranges over slow links.
 *
 * <p>{@link #transform} runs on the thread that called the client, so that nothing writes to the target once the call
 * has returned.
 */
final class S3aExchange implements ResponseTransformer<GetObjectResponse, Void> {
    /** How often the timer looks at a call (ns): what a killed task may take to notice. Most calls end before. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final boolean opening;
    private final int at;
    private final ReadScope scope;
    private final BooleanSupplier cancelled;
    private final long progressTimeoutNanos;

    // Of the calling thread. When a file is opened both are a guess until the response tells its length.
    private ReadRange range;
    private byte[] target;

    // Written by the calling thread alone; read by the timer.
    private volatile long progressAt = System.nanoTime();
    private int received;
    private boolean transformed;
    private String etag;
    private IOException fault;

    // Guarded by this. finished: the call has returned, abort has no effect any more.
    private Runnable sdkTimeout;
    private boolean aborted;
    private boolean stalled;
    private boolean finished;
    private CompletableFuture<Boolean> timer;

    S3aExchange(
            ReadRange range,
            byte[] target,
            int at,
            ReadScope scope,
            BooleanSupplier cancelled,
            Duration progressTimeout) {
        this(range, false, target, at, scope, cancelled, progressTimeout);
    }

    private S3aExchange(
            ReadRange range,
            boolean opening,
            byte[] target,
            int at,
            ReadScope scope,
            BooleanSupplier cancelled,
            Duration progressTimeout) {
        this.opening = opening;
        this.cancelled = cancelled;
        this.range = range;
        this.target = target;
        this.at = at;
        this.scope = scope;
        this.progressTimeoutNanos = progressTimeout.toNanos();
    }

    /**
     * The exchange that asks for the last bytes of a file whose length nobody knows.
     *
     * @param guess a range of as many bytes as are wanted; the file of it has the path and nothing else that is so
     */
    static S3aExchange opening(ReadRange guess, BooleanSupplier cancelled, Duration progressTimeout) {
        return new S3aExchange(guess, true, new byte[0], 0, NullScope.INSTANCE, cancelled, progressTimeout);
    }

    /** What came: the bytes, and the file as the store told it. */
    FileTail tail() {
        return new FileTail(range.file(), target);
    }

    /** Bytes that are in the target. */
    int received() {
        return received;
    }

    /** Why the response was not accepted, if that is how the call ended. */
    Optional<IOException> fault() {
        return Optional.ofNullable(fault);
    }

    /** The version the store sent, if it did. */
    Optional<String> etag() {
        return Optional.ofNullable(etag);
    }

    /** Whether the timer aborted the call. */
    synchronized boolean stalled() {
        return stalled;
    }

    /** The SDK's way to abort the call it is about to make; called by the SDK through {@link CapturingScheduler}. */
    synchronized void captured(Runnable timeout) {
        sdkTimeout = timeout;
        if (aborted) {
            timeout.run();
        } else if (timer == null) {
            arm(Math.min(progressTimeoutNanos, LOOK_NANOS));
        }
    }

    /** Ends the call, from any thread; closes a socket at most. */
    synchronized void abort() {
        if (finished || aborted) {
            return;
        }
        aborted = true;
        if (sdkTimeout != null) {
            sdkTimeout.run();
        }
    }

    /** To be called on the calling thread when the call has returned. */
    synchronized void finish() {
        finished = true;
        if (timer != null) {
            timer.complete(false);
        }
        if (aborted) {
            // The SDK clears the interrupt it asked for, unless the call ended in that very moment.
            Thread.interrupted();
        }
    }

    /** The JDK's own daemon runs the timer, so there is no thread to own; completing a future takes it off again. */
    private void arm(long nanos) {
        timer = new CompletableFuture<>();
        CompletableFuture<Void> armed =
                timer.completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS).thenAccept(this::tick);
        assert armed != null;
    }

    private synchronized void tick(boolean expired) {
        if (!expired || finished || aborted) {
            return;
        }
        long left = progressTimeoutNanos - (System.nanoTime() - progressAt);
        if (cancelled.getAsBoolean()) {
            // A task that reads by itself cannot look whether it was killed while it is blocked in a read.
            abort();
        } else if (left > 0) {
            arm(Math.min(left, LOOK_NANOS));
        } else {
            stalled = true;
            abort();
        }
    }

    @Override
    public Void transform(GetObjectResponse response, AbortableInputStream body) throws IOException {
        boolean accepted = false;
        try {
            if (transformed) {
                // A client that retries though it was told not to would shift the bytes that are there already.
                throw new IOException("second response to one request for " + range.describe(received));
            }
            transformed = true;
            progressAt = System.nanoTime();
            if (opening) {
                adopt(response);
            }
            check(response);
            copy(body);
            accepted = true;
            return null;
        } catch (IOException e) {
            fault = e;
            throw e;
        } finally {
            if (!accepted) {
                // Closing would read the rest of the body first.
                body.abort();
            }
        }
    }

    private void copy(AbortableInputStream body) throws IOException {
        while (received < range.length()) {
            int n = body.read(target, at + received, range.length() - received);
            if (n < 0) {
                throw new IOException("body ended early: " + range.describe(received));
            }
            if (n > 0) {
                received += n;
                progressAt = System.nanoTime();
                scope.received(n);
            }
        }
        end(body);
    }

    /** All is there. Seeing the end lets the client reuse the connection, and shows a body that is too long. */
    private void end(AbortableInputStream body) throws IOException {
        boolean more;
        try {
            more = body.read() >= 0;
        } catch (IOException e) {
            // The bytes are there and were announced as these; only the connection is of no more use.
            body.abort();
            return;
        }
        if (more) {
            throw new UnrecoverableReadException(
                    "store sends more bytes than it announced: " + range.describe(received));
        }
    }

    /** Takes file and range from the response. */
    private void adopt(GetObjectResponse response) throws IOException {
        String path = range.file().path();
        Long length = response.contentLength();
        ContentRange found = response.sdkHttpResponse().statusCode() == 206
                ? ContentRange.parse(response.contentRange()).orElse(null)
                : length == null ? null : new ContentRange(0, length - 1, length);
        if (found == null || response.lastModified() == null || response.eTag() == null) {
            throw new IOException("the store does not tell length, time and version of " + path);
        }
        long wanted = Math.min(range.length(), found.total());
        if (found.last() != found.total() - 1 || found.last() - found.first() + 1 != wanted || wanted < 1) {
            throw new IOException("store sends another range than the last " + range.length() + " bytes of " + path
                    + ": " + response.contentRange());
        }
        long time = response.lastModified().toEpochMilli();
        range = ReadRange.tail(new FileRef(path, found.total(), time, response.eTag()), (int) wanted);
        target = new byte[range.length()];
    }

    /** No SDK client checks any of this: an ignored Range, a wrong or missing Content-Range, a short body. */
    private void check(GetObjectResponse response) throws IOException {
        FileRef file = range.file();
        etag = response.eTag();
        if (etag != null && file.etag() != null && !EntityTags.same(etag, file.etag())) {
            throw new FileChangedException(
                    file.path() + " changed: expected version " + file.etag() + ", found " + etag);
        }
        int status = response.sdkHttpResponse().statusCode();
        if (status == 200) {
            if (!range.isWholeFile()) {
                throw new IOException("store ignored the range and sent the whole object (" + response.contentLength()
                        + " bytes): " + range.describe(0));
            }
            checkTotal(response.contentLength());
        } else if (status == 206) {
            checkContentRange(response.contentRange());
        } else {
            throw new IOException("status " + status + " instead of 206: " + range.describe(0));
        }
        if (response.contentLength() != null && response.contentLength() != range.length()) {
            throw new IOException("store sends " + response.contentLength() + " bytes: " + range.describe(0));
        }
        checkTime(response);
        if (etag != null) {
            scope.version(etag);
        }
    }

    private void checkContentRange(String value) throws IOException {
        ContentRange found = ContentRange.parse(value)
                .orElseThrow(() -> new IOException("Content-Range is " + value + ": " + range.describe(0)));
        checkTotal(found.total());
        if (found.first() != range.offset() || found.last() != range.last()) {
            throw new IOException("store sends another range, " + value + ": " + range.describe(0));
        }
    }

    private void checkTotal(Long total) throws IOException {
        FileRef file = range.file();
        if (total == null || total == file.length()) {
            return;
        }
        String lengths = "expected length " + file.length() + ", found " + total;
        if (file.etag() != null && etag != null) {
            // The same version with another length: the response is wrong, not the object.
            throw new IOException("wrong total, " + lengths + ": " + range.describe(0));
        }
        throw new FileChangedException(file.path() + " changed: " + lengths
                + Optional.ofNullable(etag).map(tag -> " (version " + tag + ")").orElse(""));
    }

    /**
     * Without an entity tag to insist on, the time is what tells two objects of one length apart. Headers carry whole
     * seconds and listings of some stores milliseconds, hence the tolerance of one second.
     */
    private void checkTime(GetObjectResponse response) throws IOException {
        FileRef file = range.file();
        if (file.etag() != null || file.modificationTime() == 0 || response.lastModified() == null) {
            return;
        }
        long found = response.lastModified().toEpochMilli();
        if (Math.abs(found - file.modificationTime()) > 1000) {
            throw new FileChangedException(file.path() + " changed: expected modification time "
                    + file.modificationTime() + " ms, found " + found + " ms (version " + etag + ")");
        }
    }
}
