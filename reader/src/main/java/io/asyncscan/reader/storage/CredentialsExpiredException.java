// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;

/** The session's credentials are past their time: worth one further attempt, for which the client may fetch new ones. */
final class CredentialsExpiredException extends IOException {
    private static final long serialVersionUID = 1L;

    CredentialsExpiredException(String message, Throwable cause) {
        super(message, cause);
    }
}
