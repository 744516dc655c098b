// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.cli;

/** Something the person at the keyboard can put right; its message says what and how. It is shown without a stack trace. */
public final class UserError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message problem and remedy, as sentences */
    public UserError(String message) {
        super(message);
    }

    /** @param message problem and remedy, as sentences */
    public UserError(String message, Throwable cause) {
        super(message, cause);
    }
}
