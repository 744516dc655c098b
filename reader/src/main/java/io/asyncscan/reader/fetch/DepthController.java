// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

/**
 * How many jobs may be ahead of the one being decoded. Task thread only.
 *
 * <p>The window follows need. It starts at {@link #START}, so that {@code LIMIT}, {@code show()} and killed tasks waste
 * little. It becomes twice what is ahead when the task had to wait for a job although all of its requests were under way:
 * being further ahead would have hidden that wait, unless it was for the first job. It stays while requests are queueing, because then the network is full and more of them
 * hide nothing. It shrinks by one after {@link #CALM_CLAIMS} claims in a row that found their job complete, because then
 * decoding is the bottleneck, and memory held further ahead is of no use.
 *
 * <p>A fixed depth caps the same window; a depth of zero closes it.
 */
final class DepthController {
    /** Jobs ahead before anything was decoded, and where decoding is the bottleneck: the next one, and one behind it. */
    static final int START = 2;

    /**
     * Bytes that may be ahead in any case, as long as they come in few jobs. Tasks that wait for their first bytes should
     * fill the network already: what comes in during the 30 ms of a request is 4.5 MB at 150 MB/s, and half as much was
     * measured to be slower. A task that stops early wastes no more than this.
     */
    static final long START_BYTES = 8 << 20;

    /** Most jobs that {@link #START_BYTES} lets be ahead: small ones cost their requests, not their bytes. */
    static final int START_JOBS = 8;

    /** Claims without waiting after which the window shrinks by one. */
    static final int CALM_CLAIMS = 8;

    /** More jobs ahead than a connection pool serves at once never help. */
    static final int MAX = 256;

    private final int cap;
    private int window;

    /** Claims in a row, up to the last, that did not wait. */
    private int calm;

    /** Whether a job was claimed. */
    private boolean begun;

    /** A controller for the option {@code readAheadDepth}: -1 governed, 0 off, N at most N. */
    DepthController(int readAheadDepth) {
        cap = readAheadDepth < 0 ? MAX : readAheadDepth;
        window = Math.min(cap, START);
    }

    /** Jobs that may be ahead now. */
    int window() {
        return window;
    }

    /** Claims in a row, up to the last one, that found their job complete: decoding is the bottleneck if they are many. */
    int calm() {
        return calm;
    }

    /** Whether another job may be admitted when {@code jobs} of {@code bytes} are ahead. */
    boolean admits(int jobs, long bytes) {
        return jobs < window || (jobs < Math.min(cap, START_JOBS) && bytes < START_BYTES);
    }

    /**
     * A job was claimed.
     *
     * @param waited its bytes were not all there
     * @param queueing requests of the task wait for others to end
     * @param ahead jobs that are ahead of it
     */
    void claimed(boolean waited, boolean queueing, int ahead) {
        if (waited) {
            calm = 0;
            if (begun && !queueing) {
                window = Math.min(cap, 2 * Math.max(window, ahead));
            }
        } else if (++calm % CALM_CLAIMS == 0) {
            window = Math.max(Math.min(cap, START), window - 1);
        }
        begun = true;
    }
}
