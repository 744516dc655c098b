// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;

/** The store asked to slow down (503 or 429). */
public final class ThrottledException extends IOException {
    private static final long serialVersionUID = 1L;

    /** An exception that says {@code message}. */
    public ThrottledException(String message) {
        super(message);
    }

    /** An exception that says {@code message}, for {@code cause}. */
    public ThrottledException(String message, Throwable cause) {
        super(message, cause);
    }
}
