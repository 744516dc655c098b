// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.ByteRange;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.SeekableInputStream;

/** A file in memory, as parquet-java reads it directly. Remembers every byte range that was read. */
final class BytesFile implements InputFile {
    private final byte[] bytes;
    private final List<ByteRange> reads = new ArrayList<>();

    BytesFile(byte[] bytes) {
        this.bytes = bytes;
    }

    /** What was read so far; touching and overlapping ranges joined. */
    List<ByteRange> reads() {
        return FilePlan.join(reads);
    }

    @Override
    public long getLength() {
        return bytes.length;
    }

    @Override
    public SeekableInputStream newStream() {
        Source source = new Source();
        return new DelegatingSeekableInputStream(source) {
            @Override
            public long getPos() {
                return source.position;
            }

            @Override
            public void seek(long to) throws EOFException {
                if (to > bytes.length) {
                    throw new EOFException("seek to " + to);
                }
                source.position = Math.toIntExact(to);
            }
        };
    }

    private final class Source extends java.io.InputStream {
        private int position;

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int at, int count) {
            if (position >= bytes.length) {
                return -1;
            }
            ByteBuffer rest = ByteBuffer.wrap(bytes, position, Math.min(count, bytes.length - position));
            int got = rest.remaining();
            rest.get(target, at, got);
            reads.add(new ByteRange(position, got));
            position += got;
            return got;
        }
    }

    /** Where a writer puts a file. */
    static final class Sink implements OutputFile {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        byte[] bytes() {
            return out.toByteArray();
        }

        @Override
        public PositionOutputStream create(long blockSizeHint) {
            return new PositionOutputStream() {
                @Override
                public long getPos() {
                    return out.size();
                }

                @Override
                public void write(int b) {
                    out.write(b);
                }

                @Override
                public void write(byte[] b, int from, int count) {
                    out.write(b, from, count);
                }
            };
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockSizeHint) {
            return create(blockSizeHint);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }
}
