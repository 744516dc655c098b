// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import org.apache.hadoop.fs.FileSystem;

/**
 * Hadoop's count of bytes that the current thread has read through file systems: what Spark's task metrics go by.
 */
public final class ThreadBytesRead {
    private ThreadBytesRead() {}

    /** Bytes this thread has read so far, over all file systems. */
    @SuppressWarnings("deprecation") // the per-thread numbers have no other accessor
    public static long now() {
        long sum = 0;
        for (FileSystem.Statistics statistics : FileSystem.getAllStatistics()) {
            sum += statistics.getThreadStatistics().getBytesRead();
        }
        return sum;
    }

    /** Counts {@code bytes} that were read for this thread by others. */
    @SuppressWarnings("deprecation") // as above
    public static void credit(long bytes) {
        FileSystem.getStatistics("asyncscan", CountedFileSystem.class).incrementBytesRead(bytes);
    }

    /** The class that credited bytes are booked under. */
    private abstract static class CountedFileSystem extends FileSystem {}
}
