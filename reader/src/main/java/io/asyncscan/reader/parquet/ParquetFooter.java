// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/**
 * The footer of one file, with the bytes that came along before it (page indexes lie there).
 *
 * @param file the file, pinned to the version the footer belongs to
 * @param thrift the footer as written
 * @param metadata the same as parquet-java reads it
 * @param offset where the footer starts in the file (bytes)
 * @param tail the last bytes of the file, at least the footer
 */
public record ParquetFooter(FileRef file, FileMetaData thrift, ParquetMetadata metadata, long offset, FileTail tail) {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    /**
     * Files up to this length are fetched whole, with the request for their footer (bytes). At 60 MB/s that takes 2 ms,
     * a request of its own for the data 30 ms.
     */
    public static final int WHOLE_FILE = 128 << 10;

    /** Bytes behind the footer: its length and the magic number. */
    static final int TRAILER = 8;

    /** What the last bytes of a file turned out to be. */
    public sealed interface Parsed {
        /** A footer that can be planned with. */
        record Complete(ParquetFooter footer) implements Parsed {}

        /** The footer is longer than the bytes at hand: ask for the last {@code length} bytes. */
        record Longer(int length) implements Parsed {}

        /**
         * Not a file to plan with: no Parquet, damaged or encrypted. Spark's reader is shown the file itself then, so
         * that its error (or its success) is what the user sees.
         */
        record Unplannable(String reason) implements Parsed {}
    }

    /**
     * How many bytes to ask for at first: footer and page indexes grow with the file, at roughly 1/256 of it (TPC-H
     * lineitem: 0.2 %), within [32 KiB, 1 MiB]. A wrong guess costs one more request. A small file is asked for whole.
     */
    public static int firstGuess(long fileLength) {
        if (fileLength <= WHOLE_FILE) {
            return (int) fileLength;
        }
        long guess = Math.max(32 << 10, Math.min(1 << 20, fileLength / 256));
        return (int) Math.min(fileLength, guess);
    }

    /** Reads the footer out of the last bytes of a file. */
    public static Parsed parse(FileTail tail) {
        byte[] bytes = tail.bytes();
        long fileLength = tail.file().length();
        if (bytes.length < TRAILER || fileLength < MAGIC.length + TRAILER) {
            return new Parsed.Unplannable("too short for a Parquet file");
        }
        if (!Arrays.equals(bytes, bytes.length - 4, bytes.length, MAGIC, 0, 4)) {
            return new Parsed.Unplannable("does not end like a plain Parquet file");
        }
        int length = ByteBuffer.wrap(bytes, bytes.length - TRAILER, 4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt();
        if (length <= 0 || length > fileLength - TRAILER - MAGIC.length) {
            return new Parsed.Unplannable("footer length " + length + " does not fit");
        }
        int needed = length + TRAILER;
        if (needed > bytes.length) {
            return new Parsed.Longer(needed);
        }
        FileMetaData thrift;
        ParquetMetadata metadata;
        try {
            thrift = Util.readFileMetaData(new ByteArrayInputStream(bytes, bytes.length - needed, length));
            if (thrift.isSetEncryption_algorithm()) {
                return new Parsed.Unplannable("encrypted");
            }
            metadata = new ParquetMetadataConverter().fromParquetMetadata(thrift);
        } catch (IOException | RuntimeException e) {
            return new Parsed.Unplannable("damaged footer: " + e);
        }
        long offset = fileLength - needed;
        return new Parsed.Complete(new ParquetFooter(tail.file(), thrift, metadata, offset, tail));
    }
}
