// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.csv.LinesTaskScan;
import io.asyncscan.reader.csv.SplitTails;
import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.scan.TaskScan;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.ThreadBytesRead;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * One file as a stream that reads ahead. Owns the scan behind it, which ends when the stream is closed, or else with the
 * task: a codec that cannot begin to read a damaged stream throws from its constructor, and leaves the stream open.
 */
final class FileStream extends FSDataInputStream {
    private final TaskScan scan;
    private final TaskServices services;
    private final AtomicBoolean closed = new AtomicBoolean();

    private FileStream(FSDataInputStream in, TaskScan scan, TaskServices services) {
        super(in);
        this.scan = scan;
        this.services = services;
    }

    /**
     * Opens {@code file} and waits for its first bytes.
     *
     * @param context the task that reads
     * @param services of the task; they belong to the stream
     * @param conf says which endings mean compression
     */
    static FileStream open(FileRef file, TaskContext context, TaskServices services, Configuration conf)
            throws IOException {
        TaskScan scan = new LinesTaskScan(
                List.of(new FileSplit(file, 0, file.length())), services, new SplitTails(conf), false);
        services.onPressure(scan::giveBack);
        FileStream stream;
        try {
            // The one split of the scan has a view.
            stream = new FileStream(
                    scan.next().orElseThrow().view().orElseThrow().open(), scan, services);
        } catch (Throwable e) {
            end(scan, services);
            throw e;
        }
        TaskCompletionListener end = ended -> stream.closeWithTask();
        context.addTaskCompletionListener(end);
        return stream;
    }

    private void closeWithTask() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            try {
                super.close();
            } finally {
                end(scan, services);
            }
        }
    }

    /** Spark's task metrics go by the Hadoop statistics of the task thread, which knows nothing of other threads' reads. */
    private static void end(TaskScan scan, TaskServices services) {
        try {
            scan.close();
        } finally {
            services.close();
        }
        ScanCounters counters = services.counters();
        ThreadBytesRead.credit(counters.bytesFetched.sum() - counters.bytesCountedByHadoop.sum());
    }
}
