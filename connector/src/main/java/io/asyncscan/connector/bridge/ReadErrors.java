// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.storage.FileChangedException;
import io.asyncscan.reader.storage.ReadCancelledException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hadoop.hdfs.BlockMissingException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Errors of a file, as a file scan of Spark's deals with them.
 *
 * <p>Internals: {@link FileDataSourceV2#attachFilePath}, which makes Spark's own error classes
 * ({@code FAILED_READ_FILE.*}) out of a cause.
 */
final class ReadErrors {
    private static final Logger LOG = LoggerFactory.getLogger(ReadErrors.class);

    private ReadErrors() {}

    /**
     * Returns if the options say that the file, or its rest, is to be skipped; throws otherwise.
     *
     * <p>A file that changed under the scan, and a task that was stopped, are never taken for a corrupt file.
     */
    static void handle(Throwable e, String url, ReadTask task) {
        if (isCancellation(e)) {
            sneak(e);
        }
        if (e instanceof FileNotFoundException) {
            if (task.ignoreMissingFiles()) {
                LOG.warn("Skipped missing file: {}", url, e);
                return;
            }
        } else if (task.ignoreCorruptFiles() && mayBeCorruption(e)) {
            LOG.warn("Skipped the rest of the content in the corrupted file: {}", url, e);
            return;
        }
        sneak(FileDataSourceV2.attachFilePath(() -> url, e));
    }

    private static boolean isCancellation(Throwable e) {
        TaskContext context = TaskContext.get();
        return e instanceof ReadCancelledException
                || e instanceof InterruptedIOException
                || (context != null && context.isInterrupted());
    }

    private static boolean mayBeCorruption(Throwable e) {
        if (e instanceof AccessControlException
                || e instanceof java.nio.file.AccessDeniedException
                || e instanceof BlockMissingException
                || hasCause(e, FileChangedException.class)) {
            return false;
        }
        return e instanceof RuntimeException || e instanceof IOException || e instanceof InternalError;
    }

    private static boolean hasCause(Throwable e, Class<?> type) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    /** Throws {@code e} as it is. */
    @SuppressWarnings({"unchecked", "DoNotCallSuggester"}) // the compiler cannot know that it throws
    static <E extends Throwable> void sneak(Throwable e) throws E {
        throw (E) e;
    }
}
