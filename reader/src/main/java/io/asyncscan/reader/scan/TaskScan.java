// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.scan;

import io.asyncscan.reader.view.FileView;
import java.io.IOException;
import java.util.Optional;

/**
 * The scan of one task: walks through its units, each of them one reader call, while the queue fetches ahead across all
 * of them.
 *
 * <p>Task thread only, except {@link #close}, which a task completion listener may call on another thread, and
 * {@link #giveBack}, which Spark calls on the thread that acquires memory for the task.
 */
public interface TaskScan extends AutoCloseable {

    /**
     * What the reader decodes next.
     *
     * @param index place of the unit in the task
     * @param view the view to decode through; nothing if the reader has to be shown the file itself
     * @param start first byte of the part of the file that is decoded
     * @param length bytes of that part
     * @param told the part that the reader is told to decode: with a view that has nothing but the unit's, all of it
     */
    record Step(int index, Optional<FileView> view, long start, long length, Part told) {}

    /** A part of a file (bytes). */
    record Part(long start, long length) {}

    /** Moves to the next unit, if there is one, and ends the one before. */
    Optional<Step> next() throws IOException;

    /** Fetches further ahead if depth and memory allow. Called between batches. */
    void topUp() throws IOException;

    /** Gives back read-ahead; see {@link io.asyncscan.reader.fetch.ReadAheadQueue#giveBack}. */
    long giveBack(long bytes);

    /** Ends the unit the reader is in, if it is in one. */
    void leave();

    @Override
    void close();
}
