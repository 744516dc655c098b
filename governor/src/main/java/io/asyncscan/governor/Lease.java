// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import java.util.concurrent.atomic.AtomicReference;

/**
 * What one job holds of its task's and its executor's budget. Closed exactly once, by whoever drops the last reference
 * to the job's buffers; closing again does nothing. Any thread may close it.
 *
 * <pre>
 *   AHEAD --claim()--> CLAIMED --close()--> CLOSED
 *     +-------------------close()------------^
 * </pre>
 */
public final class Lease implements AutoCloseable {
    private enum State {
        AHEAD,
        CLAIMED,
        CLOSED
    }

    private final TaskBudget owner;
    private final long bytes;
    private final AtomicReference<State> state;

    Lease(TaskBudget owner, long bytes, boolean claimed) {
        this.owner = owner;
        this.bytes = bytes;
        this.state = new AtomicReference<>(claimed ? State.CLAIMED : State.AHEAD);
    }

    /** Bytes this lease accounts for. */
    public long bytes() {
        return bytes;
    }

    /** The job is not ahead any more: the task needs it now. Task thread; does nothing if it is claimed or closed. */
    public void claim() {
        if (state.compareAndSet(State.AHEAD, State.CLAIMED)) {
            owner.claimed(bytes);
        }
    }

    @Override
    public void close() {
        State before = state.getAndSet(State.CLOSED);
        if (before != State.CLOSED) {
            owner.returned(bytes, before == State.AHEAD);
        }
    }
}
