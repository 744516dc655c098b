// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import io.asyncscan.reader.storage.ReadScope;
import java.io.IOException;

/** Reads footers with one request, or two when the first guess of their length was too short. */
public final class FooterReader {
    private FooterReader() {}

    /** The footer of {@code file}. Blocks. */
    public static ParquetFooter.Parsed read(ByteSource source, FileRef file, ReadScope scope) throws IOException {
        if (file.length() == 0) {
            return new ParquetFooter.Parsed.Unplannable("empty");
        }
        return complete(source, source.readTail(file, ParquetFooter.firstGuess(file.length()), scope), scope);
    }

    /** The footer in {@code tail}; asks once more if it is longer. */
    public static ParquetFooter.Parsed complete(ByteSource source, FileTail tail, ReadScope scope) throws IOException {
        ParquetFooter.Parsed parsed = ParquetFooter.parse(tail);
        if (parsed instanceof ParquetFooter.Parsed.Longer longer) {
            parsed = ParquetFooter.parse(source.readTail(tail.file(), longer.length(), scope));
        }
        return parsed;
    }
}
