// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OneVersionSourceTest {
    private static final FileRef FILE = FileRef.listed("mem://b/f", 100, 1);

    /** What the store has now, and which versions it was asked for. */
    private String current = "\"v1\"";

    private final List<String> asked = new ArrayList<>();

    private final OneVersionSource source = new OneVersionSource(new ByteSource() {
        @Override
        public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope)
                throws IOException {
            asked.add(file.etag());
            if (current != null) {
                scope.version(current);
            }
            scope.received(length);
        }

        @Override
        public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
            asked.add(file.etag());
            scope.version(current);
            return new FileTail(file, new byte[length]);
        }
    });

    private void read() throws IOException {
        source.read(FILE, 0, new byte[10], 0, 10, NullScope.INSTANCE);
    }

    @Test
    void theFirstAnswerPinsTheRest() throws IOException {
        read();
        read();
        source.readTail(FILE, 5, NullScope.INSTANCE);
        assertEquals(java.util.Arrays.asList(null, "\"v1\"", "\"v1\""), asked);
    }

    @Test
    void anAnswerOfAnotherVersionIsNotTaken() throws IOException {
        read();
        current = "\"v2\"";
        String message = assertThrows(FileChangedException.class, this::read).getMessage();
        for (String part : List.of(FILE.path(), "v1", "v2")) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void theSameTagInAnotherSpellingIsTheSame() throws IOException {
        read();
        current = "v1";
        read();
    }

    @Test
    void aStoreWithoutVersionsIsLeftAlone() throws IOException {
        current = null;
        read();
        read();
        assertEquals(java.util.Arrays.asList(null, null), asked);
    }

    @Test
    void aVersionThatIsKnownStays() throws IOException {
        source.read(FILE.pinnedTo("\"v1\""), 0, new byte[1], 0, 1, NullScope.INSTANCE);
        assertEquals(List.of("\"v1\""), asked);
    }
}
