// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.io.Closeable;
import java.io.IOException;
import java.util.NoSuchElementException;
import scala.collection.AbstractIterator;

/** The rows or batches of the unit a reader is in, as the iterator a reader function returns and Spark's scan closes. */
final class UnitValues extends AbstractIterator<Object> implements Closeable {
    private final UnitReader reader;
    private final Closeable end;
    private boolean fetched;
    private boolean ended;

    /**
     * The values of the unit that {@code reader} is in.
     *
     * @param end what is to be done when they have been read, or when Spark has seen enough of them; called once
     */
    UnitValues(UnitReader reader, Closeable end) {
        this.reader = reader;
        this.end = end;
    }

    @Override
    public boolean hasNext() {
        if (!fetched && !ended) {
            try {
                fetched = reader.advance();
                if (!fetched) {
                    close();
                }
            } catch (IOException e) {
                ReadErrors.<RuntimeException>sneak(e);
            }
        }
        return fetched;
    }

    @Override
    public Object next() {
        if (!hasNext()) {
            throw new NoSuchElementException("no further row");
        }
        fetched = false;
        return reader.value();
    }

    @Override
    public void close() throws IOException {
        if (!ended) {
            ended = true;
            fetched = false;
            end.close();
        }
    }
}
