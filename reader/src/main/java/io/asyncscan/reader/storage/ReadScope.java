// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

/**
 * Who wants the bytes of one read: carries cancellation to the source and counts back to the owner.
 *
 * <p>One scope serves one read at a time. The owner may cancel from any thread; everything else is called by the
 * thread that reads.
 */
public interface ReadScope {

    /** True once nobody wants the bytes any more. */
    boolean cancelled();

    /**
     * Registers how to interrupt the read that is under way: run at most once, by the cancelling thread, at once if the
     * scope is cancelled already. It must not block. A later registration replaces an earlier one.
     */
    void onCancel(Runnable abort);

    /** The read under way can no longer be interrupted: forgets the registration. */
    void clearOnCancel();

    /** A request goes to the store now. */
    void requestSent();

    /** {@code count} further bytes (at least 1) are in the target. */
    void received(int count);

    /** An attempt failed and another follows. */
    void retried(IOFault fault);

    /**
     * The store says which version of the file the bytes to come are of, before the first of them. Stores without
     * versions say nothing.
     *
     * @throws FileChangedException if that is not the version the owner wants
     */
    default void version(String etag) throws FileChangedException {
        // Most owners have pinned the version in the reference they read through.
    }

    /** Why an attempt failed, as far as counting goes. */
    enum IOFault {
        /** The store asked to slow down (503, 429). */
        THROTTLED,
        /** Anything else that another attempt may mend. */
        TRANSIENT
    }
}
