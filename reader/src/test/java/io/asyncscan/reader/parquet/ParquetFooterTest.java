// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.parquet.ParquetFooter.Parsed;
import io.asyncscan.reader.parquet.Samples.Shape;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.apache.parquet.format.AesGcmV1;
import org.apache.parquet.format.EncryptionAlgorithm;
import org.junit.jupiter.api.Test;

class ParquetFooterTest {
    private final byte[] file;

    ParquetFooterTest() throws IOException {
        file = Samples.file(Samples.rows(250, new Random(1)), Shape.PLAIN);
    }

    private static Parsed parse(byte[] bytes, int tail) {
        FileRef ref = FileRef.listed("mem://f", bytes.length, 1);
        return ParquetFooter.parse(new FileTail(ref, Arrays.copyOfRange(bytes, bytes.length - tail, bytes.length)));
    }

    @Test
    void guessesMoreForLargerFiles() {
        assertEquals(0, ParquetFooter.firstGuess(0));
        assertEquals(100, ParquetFooter.firstGuess(100));
        assertEquals(32 << 10, ParquetFooter.firstGuess(1 << 20));
        assertEquals(512 << 10, ParquetFooter.firstGuess(128L << 20));
        assertEquals(1 << 20, ParquetFooter.firstGuess(100L << 30));
    }

    @Test
    void anyTailThatHasTheFooterIsEnough() {
        ParquetFooter whole = assertInstanceOf(Parsed.Complete.class, parse(file, file.length))
                .footer();
        int needed = Math.toIntExact(file.length - whole.offset());
        ParquetFooter exact =
                assertInstanceOf(Parsed.Complete.class, parse(file, needed)).footer();
        assertEquals(whole.thrift(), exact.thrift());
        assertEquals(whole.offset(), exact.offset());
        assertEquals(3, exact.metadata().getBlocks().size());
        for (int tail = ParquetFooter.TRAILER; tail < needed; tail += 7) {
            assertEquals(new Parsed.Longer(needed), parse(file, tail));
        }
    }

    @Test
    void whatIsNoParquetFileIsLeftToTheReader() throws IOException {
        unplannable(new byte[0]);
        unplannable(new byte[3]);
        unplannable("PAR1PAR1".getBytes(StandardCharsets.US_ASCII));
        unplannable(new byte[5000]);
        unplannable(Arrays.copyOf(file, file.length - 1));
        unplannable(Arrays.copyOf(file, file.length / 2));
        byte[] encrypted = file.clone();
        encrypted[file.length - 1] = 'E';
        unplannable(encrypted);
        for (int length : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, file.length, file.length - 11}) {
            byte[] garbage = file.clone();
            ByteBuffer.wrap(garbage).order(ByteOrder.LITTLE_ENDIAN).putInt(file.length - 8, length);
            unplannable(garbage);
        }
        byte[] signed = Footers.rewrite(file, footer -> {
            footer.setEncryption_algorithm(EncryptionAlgorithm.AES_GCM_V1(new AesGcmV1()));
            return footer;
        });
        unplannable(signed);
    }

    @Test
    void aFooterDamagedAnywhereNeverEscapesAsAnError() {
        Random random = new Random(3);
        int offset = Math.toIntExact(Samples.footer(file).offset());
        for (int i = 0; i < 3000; i++) {
            byte[] damaged = file.clone();
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                damaged[offset + random.nextInt(file.length - 8 - offset)] = (byte) random.nextInt(256);
            }
            Parsed parsed = parse(damaged, damaged.length);
            assertTrue(parsed instanceof Parsed.Complete || parsed instanceof Parsed.Unplannable);
        }
    }

    private static void unplannable(byte[] bytes) {
        assertInstanceOf(Parsed.Unplannable.class, parse(bytes, bytes.length));
    }
}
