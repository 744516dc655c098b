// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;

/** Nobody wants the bytes any more: the task ended, was killed, or dropped the read-ahead. */
public final class ReadCancelledException extends IOException {
    private static final long serialVersionUID = 1L;

    /** An exception that says {@code message}. */
    public ReadCancelledException(String message) {
        super(message);
    }

    /** An exception that says {@code message}, for {@code cause}. */
    public ReadCancelledException(String message, Throwable cause) {
        super(message, cause);
    }
}
