// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

/**
 * What goes on in an executor at one moment.
 *
 * @param scans scans of tasks that are open
 * @param threads threads of the ASYNC pool
 * @param requestsRunning requests of them that are under way
 * @param requestLimit requests that may be under way, as the network allows
 * @param heldBytes bytes that read-ahead holds, requests of ended tasks included
 * @param peakBytes most bytes it held at once
 * @param freeBufferBytes bytes of buffers that wait to be used again
 * @param totals of all scans since the executor started
 */
public record ExecutorState(
        int scans,
        int threads,
        int requestsRunning,
        int requestLimit,
        long heldBytes,
        long peakBytes,
        long freeBufferBytes,
        Totals totals) {

    static final ExecutorState NONE = new ExecutorState(0, 0, 0, 0, 0, 0, 0, Totals.NONE);

    /**
     * Sums over scans; they only grow.
     *
     * @param requests sent to stores
     * @param bytesFetched received from stores
     * @param bytesGranted of jobs that were read ahead
     * @param denials times read-ahead stopped for want of memory
     * @param jobsDropped jobs given back to operators that needed the memory
     * @param stallNanos time tasks waited for bytes (ns)
     * @param retries attempts that followed a failed one
     * @param throttles answers that asked to slow down
     * @param hedgesWon second requests that brought their bytes before the first ones
     */
    public record Totals(
            long requests,
            long bytesFetched,
            long bytesGranted,
            long denials,
            long jobsDropped,
            long stallNanos,
            long retries,
            long throttles,
            long hedgesWon) {

        static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0);

        Totals plus(ScanCounters scan) {
            return new Totals(
                    requests + scan.requests.sum(),
                    bytesFetched + scan.bytesFetched.sum(),
                    bytesGranted + scan.bytesGranted.sum(),
                    denials + scan.denials.sum(),
                    jobsDropped + scan.jobsDropped.sum(),
                    stallNanos + scan.stallNanos.sum(),
                    retries + scan.retries.sum(),
                    throttles + scan.throttles.sum(),
                    hedgesWon + scan.hedgesWon.sum());
        }
    }
}
