// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;

/** The file is not the version that was planned: names path, expected and found version. Never retried. */
public final class FileChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** An exception that says {@code message}. */
    public FileChangedException(String message) {
        super(message);
    }

    /** An exception that says {@code message}, for {@code cause}. */
    public FileChangedException(String message, Throwable cause) {
        super(message, cause);
    }
}
