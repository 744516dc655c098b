// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Lets an answer's payload through as fast as its {@link Link.Body} allows. Closing it closes the payload. */
final class PacedStream extends FilterInputStream {
    private final Link.Body body;

    PacedStream(InputStream payload, Link.Body body) {
        super(payload);
        this.body = body;
    }

    @Override
    public int read() throws IOException {
        int value = in.read();
        if (value >= 0) {
            body.send(1);
        }
        return value;
    }

    @Override
    public int read(byte[] target, int at, int length) throws IOException {
        int count = in.read(target, at, Math.min(length, Link.SLICE_BYTES));
        if (count > 0) {
            body.send(count);
        }
        return count;
    }

    /** The server's way out. A whole slice at a time: the default of 8 KiB would pace, and lock, eight times as often. */
    @Override
    public long transferTo(OutputStream out) throws IOException {
        byte[] slice = new byte[Link.SLICE_BYTES];
        long total = 0;
        while (true) {
            int count = in.readNBytes(slice, 0, slice.length);
            if (count == 0) {
                return total;
            }
            body.send(count);
            out.write(slice, 0, count);
            total += count;
        }
    }
}
