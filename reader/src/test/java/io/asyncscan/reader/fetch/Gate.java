// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import io.asyncscan.reader.storage.ReadCancelledException;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds reads up until it is opened. All waits are bounded. */
public final class Gate implements MemorySource.Hook {
    private final CountDownLatch reached;
    private final CountDownLatch open = new CountDownLatch(1);

    /** A gate; {@link #awaitReached} waits for this many reads. */
    public Gate(int reads) {
        reached = new CountDownLatch(reads);
    }

    /** Lets all reads pass, now and later. */
    public void open() {
        open.countDown();
    }

    /** Waits until the reads stand at the gate. */
    public void awaitReached() {
        await(reached, "no read came to the gate");
    }

    /** Stands at the gate, deaf to cancellation. */
    @Override
    public void before(MemorySource.Read read, ReadScope scope) {
        reached.countDown();
        await(open, "nobody opened the gate");
    }

    /** Stands at the gate until it is opened or the read is cancelled. */
    public void pass(ReadScope scope) throws IOException {
        scope.onCancel(this::open);
        reached.countDown();
        await(open, "nobody opened the gate");
        scope.clearOnCancel();
        if (scope.cancelled()) {
            throw new ReadCancelledException("cancelled at the gate");
        }
    }

    /** Waits, with a bound that only a broken test meets. */
    public static void await(CountDownLatch latch, String otherwise) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new AssertionError(otherwise);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(otherwise, e);
        }
    }
}
