// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from one source until its class path turns out not to fit, then from another for good. The attempt that found out
 * fails as a fault that may pass, because part of its bytes may have come: the retry goes on from there.
 */
final class LinkSafeByteSource implements ByteSource {
    private static final Logger LOG = LoggerFactory.getLogger(LinkSafeByteSource.class);

    private final ByteSource fallback;
    private volatile ByteSource current;

    LinkSafeByteSource(ByteSource preferred, ByteSource fallback) {
        this.current = preferred;
        this.fallback = fallback;
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        try {
            current.read(file, offset, target, at, length, scope);
        } catch (LinkageError e) {
            throw fallenBack(file, e);
        }
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        try {
            return current.readTail(file, length, scope);
        } catch (LinkageError e) {
            throw fallenBack(file, e);
        }
    }

    @Override
    public Optional<FileTail> open(String path, int length, ReadScope scope) throws IOException {
        try {
            return current.open(path, length, scope);
        } catch (LinkageError e) {
            LOG.debug("{} is not opened at once", path, fallenBack(FileRef.listed(path, 0, 0), e));
            return Optional.empty();
        }
    }

    private IOException fallenBack(FileRef file, LinkageError e) {
        if (current != fallback) {
            current = fallback;
            LOG.warn("the S3 client on the class path is not one asyncscan knows; reading through Hadoop's streams", e);
        }
        return new IOException("class path does not fit, reading " + file.path() + ": " + e, e);
    }
}
