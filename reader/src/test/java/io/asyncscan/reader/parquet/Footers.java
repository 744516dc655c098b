// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.Util;

/** Files whose footer was edited by hand. */
final class Footers {
    private Footers() {}

    /** The file with its footer changed by {@code edit}. */
    static byte[] rewrite(byte[] file, UnaryOperator<FileMetaData> edit) throws IOException {
        ParquetFooter footer = Samples.footer(file);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(file, 0, Math.toIntExact(footer.offset()));
        int start = out.size();
        Util.writeFileMetaData(edit.apply(footer.thrift().deepCopy()), out);
        byte[] trailer = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(out.size() - start)
                .put("PAR1".getBytes(StandardCharsets.US_ASCII))
                .array();
        out.write(trailer);
        return out.toByteArray();
    }
}
