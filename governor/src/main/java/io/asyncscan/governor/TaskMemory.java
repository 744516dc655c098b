// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

/**
 * The memory of one task, as its owner hands it out. Called by the task thread only: Spark's pool breaks when two
 * threads acquire and release for one task at the same time.
 */
public interface TaskMemory {

    /** Bytes that could be acquired right now without making anybody give memory back. A snapshot, at least 0. */
    long free();

    /**
     * Whether the task holds memory besides what was acquired here, by any scan of it. The owner divides its memory among
     * the tasks that hold some; this says whether the task is one of them without read-ahead. A snapshot.
     */
    boolean othersHold();

    /**
     * Acquires up to {@code bytes} (at least 1).
     *
     * @return what was granted, between 0 and {@code bytes}
     */
    long acquire(long bytes);

    /** Gives back {@code bytes} that were acquired. */
    void release(long bytes);
}
