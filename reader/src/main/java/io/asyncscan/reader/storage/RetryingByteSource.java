// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * The one owner of retries: attempts a read until it is complete, each attempt behind the bytes that are there already,
 * with a jittered, exponentially growing wait in between that a cancellation ends at once.
 *
 * <p>Final at the first attempt: {@link FileNotFoundException}, {@link AccessDeniedException},
 * {@link FileChangedException}, {@link ReadCancelledException}, {@link UnrecoverableReadException} and an interrupted
 * thread. Expired credentials get one further attempt, for which the client may have fetched new ones.
 *
 * <p>Safe from any thread as far as the source below is; holds nothing.
 */
final class RetryingByteSource implements ByteSource {
    /** How much longer than after other faults to wait when the store asks to slow down. */
    private static final int THROTTLE_FACTOR = 4;

    private final ByteSource source;
    private final RetryPolicy policy;
    private final Pause pause;
    private final DoubleSupplier jitter;

    RetryingByteSource(ByteSource source, RetryPolicy policy) {
        this(source, policy, Pause.REAL, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** @param jitter uniform in [0, 1) */
    RetryingByteSource(ByteSource source, RetryPolicy policy, Pause pause, DoubleSupplier jitter) {
        this.source = source;
        this.policy = policy;
        this.pause = pause;
        this.jitter = jitter;
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        ReadRange range = new ReadRange(file, offset, length);
        range.checkTarget(target, at);
        Attempts attempts = new Attempts(range, scope);
        CountingScope counting = new CountingScope(scope);
        while (true) {
            int done = counting.count();
            try {
                source.read(file, offset + done, target, at + done, length - done, counting);
                return;
            } catch (IOException e) {
                attempts.failed(e, counting.count());
                if (counting.count() == length) {
                    // All the bytes came and still the source is not content with them: take none of them.
                    counting.startOver();
                }
            }
        }
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        Attempts attempts = new Attempts(ReadRange.tail(file, length), scope);
        while (true) {
            try {
                return source.readTail(file, length, scope);
            } catch (IOException e) {
                attempts.failed(e, 0);
            }
        }
    }

    @Override
    public Optional<FileTail> open(String path, int length, ReadScope scope) throws IOException {
        return source.open(path, length, scope);
    }

    /** The attempts of one read. Used by the reading thread alone. */
    private final class Attempts {
        private final ReadRange range;
        private final ReadScope scope;
        private int made;
        private boolean renewed;

        Attempts(ReadRange range, ReadScope scope) {
            this.range = range;
            this.scope = scope;
        }

        /** Returns when it is time for the next attempt, and throws when there is none. */
        void failed(IOException e, int received) throws IOException {
            made++;
            if (scope.cancelled()) {
                throw cancelled(e, received);
            }
            if (isFinal(e)) {
                throw e;
            }
            if (e instanceof CredentialsExpiredException) {
                if (renewed) {
                    throw expired(e);
                }
                renewed = true;
            }
            if (made >= policy.maxAttempts()) {
                throw exhausted(e, received);
            }
            boolean throttled = e instanceof ThrottledException;
            scope.retried(throttled ? ReadScope.IOFault.THROTTLED : ReadScope.IOFault.TRANSIENT);
            pause(delay(made, throttled), e, received);
        }

        private void pause(Duration delay, IOException last, int received) throws IOException {
            try {
                if (!pause.pause(delay, scope)) {
                    throw cancelled(last, received);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                InterruptedIOException interrupted =
                        new InterruptedIOException("interrupted: " + range.describe(received));
                interrupted.initCause(last);
                throw interrupted;
            }
        }

        private ReadCancelledException cancelled(IOException e, int received) {
            return e instanceof ReadCancelledException already
                    ? already
                    : new ReadCancelledException("cancelled: " + range.describe(received), e);
        }

        private AccessDeniedException expired(IOException e) {
            AccessDeniedException denied = new AccessDeniedException(
                    range.file().path(), null, "credentials expired and the client got no new ones");
            denied.initCause(e);
            return denied;
        }

        private IOException exhausted(IOException e, int received) {
            String message = "gave up after " + made + (made == 1 ? " attempt: " : " attempts: ")
                    + range.describe(received) + ": " + e.getMessage();
            return e instanceof ThrottledException ? new ThrottledException(message, e) : new IOException(message, e);
        }
    }

    /**
     * Doubles with every attempt and takes a random half off: waits spread, so that readers that failed together do not
     * come back together, and still no wait is near zero.
     *
     * @param failed attempts made so far, at least 1
     */
    private Duration delay(int failed, boolean throttled) {
        long base = policy.baseDelay().toNanos() * (throttled ? THROTTLE_FACTOR : 1);
        long max = policy.maxDelay().toNanos();
        int doublings = Math.min(failed - 1, Long.numberOfLeadingZeros(Math.max(1, base)) - 2);
        long grown = Math.min(max, base << doublings);
        return Duration.ofNanos((long) (grown * (0.5 + 0.5 * jitter.getAsDouble())));
    }

    private static boolean isFinal(IOException e) {
        // SocketTimeoutException is an InterruptedIOException too, hence the look at the thread.
        boolean interrupted = e instanceof ClosedByInterruptException
                || (e instanceof InterruptedIOException
                        && Thread.currentThread().isInterrupted());
        return interrupted
                || e instanceof FileNotFoundException
                || e instanceof AccessDeniedException
                || e instanceof FileChangedException
                || e instanceof ReadCancelledException
                || e instanceof UnrecoverableReadException;
    }

    /** Counts what is in the target on its way to the scope. Used by the reading thread alone, but for cancelling. */
    private static final class CountingScope implements ReadScope {
        private final ReadScope scope;
        private int count;
        private int reported;

        CountingScope(ReadScope scope) {
            this.scope = scope;
        }

        int count() {
            return count;
        }

        /** The next bytes are the first ones again; what the scope has counted already it does not count twice. */
        void startOver() {
            count = 0;
        }

        @Override
        public boolean cancelled() {
            return scope.cancelled();
        }

        @Override
        public void onCancel(Runnable abort) {
            scope.onCancel(abort);
        }

        @Override
        public void clearOnCancel() {
            scope.clearOnCancel();
        }

        @Override
        public void requestSent() {
            scope.requestSent();
        }

        @Override
        public void received(int received) {
            count += received;
            if (count > reported) {
                scope.received(count - reported);
                reported = count;
            }
        }

        @Override
        public void retried(IOFault fault) {
            scope.retried(fault);
        }

        @Override
        public void version(String etag) throws FileChangedException {
            scope.version(etag);
        }
    }
}
