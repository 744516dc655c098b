// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import java.io.IOException;

/** The jobs of a task in plan order, as far as they are known. Task thread only. */
public interface JobSequence {

    /**
     * The first job that is {@linkplain FetchJob#isWaiting waiting}, or null when there is none: at the end, or while an
     * earlier job has to complete before the plan is known.
     */
    FetchJob peek() throws IOException;

    /** A job that was admitted gave its memory back and is waiting again. */
    void dropped();
}
