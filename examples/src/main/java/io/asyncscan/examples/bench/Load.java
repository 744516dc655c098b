// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.UserError;
import java.util.Arrays;
import java.util.Locale;

/** When a query starts again. */
enum Load {
    /** When all have ended. Towards the end of a round the slow ones have the executor to themselves. */
    ROUNDS,

    /** When it has ended itself, so that the others are always beside it, however fast they are. */
    STEADY;

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Load parse(String text) {
        return Arrays.stream(values())
                .filter(load -> load.id().equals(text))
                .findFirst()
                .orElseThrow(() -> new UserError("Option --load takes rounds or steady, not " + text + "."));
    }
}
