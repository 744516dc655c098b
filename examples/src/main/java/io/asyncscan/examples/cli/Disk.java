// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.cli;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Whether there is room, asked beforehand, and whether that was why something failed. */
public final class Disk {
    /** What Spark's own scratch files and the chart may take. */
    private static final long RESERVE = 64L << 20;

    private Disk() {}

    /**
     * Creates a directory if need be and checks that it can be written and has room.
     *
     * @param bytes how many bytes are going to be written
     * @param remedy the option that chooses another directory
     */
    public static void requireRoom(Path directory, long bytes, String remedy) {
        long free;
        try {
            Files.createDirectories(directory);
            FileStore store = Files.getFileStore(directory);
            free = store.getUsableSpace();
        } catch (IOException e) {
            throw new UserError(
                    "Cannot use the directory " + directory + " (" + e + "). Choose another with " + remedy + ".", e);
        }
        if (!Files.isWritable(directory)) {
            throw new UserError("Cannot write to " + directory + ". Choose another directory with " + remedy + ".");
        }
        if (free < bytes + RESERVE) {
            throw new UserError(String.format(
                    Locale.ROOT,
                    "The disk of %s is too full: %,d MB are needed, %,d MB are free. Free some, or choose another"
                            + " directory with %s or a smaller --scale.",
                    directory,
                    (bytes + RESERVE) / 1_000_000,
                    free / 1_000_000,
                    remedy));
        }
    }

    /** Whether this, or a cause of it, is the operating system's "disk full" or "quota exceeded". */
    public static boolean isFull(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("No space left on device")
                    || message.contains("Disk quota exceeded")
                    || message.contains("not enough space on the disk")) {
                return true;
            }
        }
        return false;
    }
}
