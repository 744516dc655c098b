// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;

/**
 * The Hadoop configuration that a reader function of Spark's carries to the executors.
 *
 * <p>Spark broadcasts one for each scan. It is in the executor's storage memory for as long as the driver knows of the scan, some
 * 300 KB that operators do not have: a second one, of the same content, for what goes on around the reader can be what makes
 * a sort spill.
 *
 * <p>The function is Spark's closure, in whose fields nobody else has any business. What it carries shows where it is written
 * to be sent, in all versions alike; here it is written to nowhere.
 *
 * <p>Internals: {@link SerializableConfiguration}, as which Spark broadcasts it.
 */
final class CarriedConfiguration {
    private CarriedConfiguration() {}

    /**
     * What {@code function} carries; nothing if it carries none.
     *
     * @throws UncheckedIOException if it cannot be sent
     */
    static Optional<Broadcast<SerializableConfiguration>> of(Object function) {
        try (Finder finder = new Finder()) {
            finder.writeObject(function);
            return Optional.ofNullable(finder.found);
        } catch (IOException e) {
            throw new UncheckedIOException("a reader function cannot be sent to executors", e);
        }
    }

    /** Looks at all that is written, and keeps nothing of it. */
    private static final class Finder extends ObjectOutputStream {
        private Broadcast<SerializableConfiguration> found;

        Finder() throws IOException {
            super(OutputStream.nullOutputStream());
            enableReplaceObject(true);
        }

        @Override
        @SuppressWarnings("unchecked") // the value says what the broadcast is of
        protected Object replaceObject(Object object) {
            if (!(object instanceof Broadcast<?> broadcast)) {
                return object;
            }
            if (found == null && broadcast.value() instanceof SerializableConfiguration) {
                found = (Broadcast<SerializableConfiguration>) broadcast;
            }
            // There is nothing to look for within it.
            return null;
        }
    }
}
