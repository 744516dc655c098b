// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.fetch.ScanCounters;
import io.asyncscan.reader.parquet.ParquetFooter;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.view.TaskReadScope;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends of Parquet files that were read, or are being read, when the schema was inferred: a query that is planned at once
 * needs them, and Spark is busy with its analysis meanwhile. Each is given away once. Thread-safe.
 *
 * <p>They are kept for {@link #FRESH}, so that a file that was overwritten is read as it is when the query is planned, and
 * so that a read that is never planned holds nothing.
 */
final class FootersAhead {
    private static final Logger LOG = LoggerFactory.getLogger(FootersAhead.class);

    /** Nothing was read. */
    static final FootersAhead NONE = new FootersAhead();

    private static final Duration FRESH = Duration.ofSeconds(30);

    /** Most files whose footers are read before anybody has asked for their rows, and most bytes of those. */
    static final int MAX_FILES = 64;

    static final long MAX_BYTES = 8 << 20;

    private final Map<FileRef, Future<ScanSupport.InferredFrom>> read = new ConcurrentHashMap<>();

    private FootersAhead() {}

    /**
     * Starts to read the footers of {@code others} if they are few, and would be read for any query: they lie in one
     * directory, so that no partition filter leaves some of them out, and are not so small that a task reads them whole.
     *
     * @param first the file that the schema is inferred from, which is the caller's to read
     */
    static FootersAhead start(ByteSource source, FileRef first, List<FileRef> others) {
        FootersAhead result = new FootersAhead();
        CompletableFuture.delayedExecutor(FRESH.toSeconds(), TimeUnit.SECONDS, Runnable::run)
                .execute(result.read::clear);
        if (!others.isEmpty() && isWorthIt(first, others)) {
            result.readAll(source, others);
        }
        return result;
    }

    private static boolean isWorthIt(FileRef first, List<FileRef> others) {
        if (others.size() >= MAX_FILES) {
            return false;
        }
        Path directory = new Path(first.path()).getParent();
        long bytes = 0;
        for (FileRef file : others) {
            bytes += ParquetFooter.firstGuess(file.length());
            if (bytes > MAX_BYTES
                    || file.length() <= ParquetFooter.WHOLE_FILE
                    || !new Path(file.path()).getParent().equals(directory)) {
                return false;
            }
        }
        return true;
    }

    private void readAll(ByteSource source, List<FileRef> files) {
        ExecutorService threads = Executors.newFixedThreadPool(files.size(), run -> {
            Thread thread = new Thread(run, "asyncscan-footer");
            thread.setDaemon(true);
            return thread;
        });
        for (FileRef file : files) {
            read.put(file, threads.submit(() -> readEnd(source, file)));
        }
        // The threads end with their one request.
        threads.shutdown();
    }

    private static ScanSupport.InferredFrom readEnd(ByteSource source, FileRef file) throws IOException {
        ScanCounters counters = new ScanCounters();
        FileTail tail = source.readTail(
                file, ParquetFooter.firstGuess(file.length()), new TaskReadScope(counters, () -> false));
        return new ScanSupport.InferredFrom(tail, counters.requests.sum());
    }

    void add(FileRef file, ScanSupport.InferredFrom end) {
        read.put(file, CompletableFuture.completedFuture(end));
    }

    /**
     * What was read of {@code file}, once. Waits for it if it is being read.
     *
     * @return nothing if it was not read, or could not be: whoever reads it again meets the error
     * @throws IllegalStateException if the thread was interrupted; its interrupt is set again
     */
    Optional<ScanSupport.InferredFrom> take(FileRef file) {
        Future<ScanSupport.InferredFrom> known = read.remove(file);
        if (known == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(known.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("planning was interrupted", e);
        } catch (ExecutionException e) {
            LOG.debug("the footer of {} could not be read ahead", file.path(), e);
            return Optional.empty();
        }
    }
}
