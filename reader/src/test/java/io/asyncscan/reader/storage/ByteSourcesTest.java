// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.api.RequestFactory;
import org.junit.jupiter.api.Test;

class ByteSourcesTest {

    /** An S3A file system under another scheme, as on EMR, that was never initialized. */
    private static class Emr extends S3AFileSystem {
        @Override
        public URI getUri() {
            return URI.create("s3://bucket");
        }
    }

    private static ByteSource choose(FileSystem fs) {
        return ByteSources.oneAttempt(fs, RetryPolicy.defaults());
    }

    @Test
    void takesTheClientOfAnS3aFileSystem() throws IOException {
        try (S3aFixture s3 = new S3aFixture()) {
            assertInstanceOf(LinkSafeByteSource.class, choose(s3.fs));
            byte[] content = ByteSourceContract.bytes(100, 1);
            FileRef file = s3.put("object", content);
            ByteSource source = ByteSources.forFileSystem(s3.fileSystem(), RetryPolicy.defaults());
            assertArrayEquals(
                    content, source.readTail(file, 100, new RecordingScope()).bytes());
            assertEquals(1, s3.server.requests().size());
        }
    }

    @Test
    void takesHadoopsStreamsForEverythingElse() throws IOException {
        assertInstanceOf(HadoopByteSource.class, choose(FileSystem.getLocal(new Configuration())));
        assertInstanceOf(HadoopByteSource.class, choose(new Emr() {
            @Override
            public boolean isCSEEnabled() {
                return true;
            }
        }));
        assertInstanceOf(HadoopByteSource.class, choose(new Emr() {
            @Override
            public RequestFactory getRequestFactory() {
                throw new NoSuchMethodError("a fork without it");
            }
        }));
    }

    @Test
    void fallsBackForGoodWhenTheClassPathDoesNotFit() throws IOException {
        FlakySource fallback = new FlakySource();
        byte[] content = ByteSourceContract.bytes(100, 1);
        FileRef file = fallback.put("mem://file", content);
        ByteSource broken = new ByteSource() {
            @Override
            public void read(FileRef f, long offset, byte[] target, int at, int length, ReadScope scope) {
                System.arraycopy(content, (int) offset, target, at, 3);
                scope.received(3);
                throw new NoClassDefFoundError("gone");
            }

            @Override
            public FileTail readTail(FileRef f, int length, ReadScope scope) {
                throw new NoSuchMethodError("gone");
            }
        };
        ByteSource source = new LinkSafeByteSource(broken, fallback);
        assertThrows(IOException.class, () -> source.readTail(file, 8, new RecordingScope()));
        assertEquals(8, source.readTail(file, 8, new RecordingScope()).bytes().length);
        RetryPolicy fast = new RetryPolicy(2, Duration.ZERO, Duration.ZERO, Duration.ofSeconds(1));
        ByteSource retried = new RetryingByteSource(new LinkSafeByteSource(broken, fallback), fast);
        RecordingScope scope = new RecordingScope();
        byte[] target = new byte[100];
        retried.read(file, 0, target, 0, 100, scope);
        assertArrayEquals(content, target);
        assertEquals(100, scope.received.get());
    }

    @Test
    void comparesEntityTagsHoweverTheyAreQuoted() {
        assertTrue(EntityTags.same("\"a\"", "a"));
        assertTrue(EntityTags.same("W/\"a\"", "\"a\""));
        assertFalse(EntityTags.same("\"a\"", "\"b\""));
        assertEquals(Optional.of("\"a\""), EntityTags.ifMatch("a"));
        assertEquals(Optional.of("\"a\""), EntityTags.ifMatch("\"a\""));
        assertEquals(Optional.empty(), EntityTags.ifMatch("W/\"a\""));
    }

    @Test
    void pinsTheDefaultsOfRetries() {
        assertEquals(
                new RetryPolicy(8, Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(30)),
                RetryPolicy.defaults());
        Duration second = Duration.ofSeconds(1);
        assertThrows(IllegalArgumentException.class, () -> new RetryPolicy(0, second, second, second));
        assertThrows(IllegalArgumentException.class, () -> new RetryPolicy(1, second.negated(), second, second));
        assertThrows(IllegalArgumentException.class, () -> new RetryPolicy(1, second, Duration.ZERO, second));
        assertThrows(IllegalArgumentException.class, () -> new RetryPolicy(1, second, second, Duration.ZERO));
    }
}
