// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;

/**
 * The read failed for a reason that no further attempt mends, though the file may be well: a closed file system, a request
 * that the store rejects as malformed, a redirect that the client does not follow. Never retried.
 */
public final class UnrecoverableReadException extends IOException {
    private static final long serialVersionUID = 1L;

    /** An exception that says {@code message}. */
    public UnrecoverableReadException(String message) {
        super(message);
    }

    /** An exception that says {@code message}, for {@code cause}. */
    public UnrecoverableReadException(String message, Throwable cause) {
        super(message, cause);
    }
}
