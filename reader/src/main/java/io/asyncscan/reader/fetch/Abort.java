// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How to interrupt one read that is under way. Safe from any thread; an action runs at most once, on the thread that gives the read
 * up, or at once on the one that registers it if the read has been given up already.
 */
final class Abort {
    private static final Logger LOG = LoggerFactory.getLogger(Abort.class);

    /** Interrupts the read; null while there is nothing to interrupt. Guarded by this object's monitor. */
    private Runnable action;

    /** Once it is set, no action is kept. Guarded by this object's monitor. */
    private boolean givenUp;

    /** Takes the place of an earlier action. */
    void onGiveUp(Runnable interrupt) {
        boolean now;
        synchronized (this) {
            now = givenUp;
            action = now ? null : interrupt;
        }
        if (now) {
            interrupt.run();
        }
    }

    /** The read can no longer be interrupted. */
    synchronized void clear() {
        action = null;
    }

    /** Interrupts the read, now or when it can be. Fails with nothing: who gives up has others to see to. */
    void giveUp() {
        Runnable running;
        synchronized (this) {
            givenUp = true;
            running = action;
            action = null;
        }
        if (running != null) {
            try {
                running.run();
            } catch (RuntimeException e) {
                // The read then ends in its own time.
                LOG.debug("cannot abort a read", e);
            }
        }
    }
}
