// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Reads one file of which only the listing is known, and takes all its bytes from one version: the one that the first
 * answer names. Requests that were sent before it came are compared with it, later ones insist on it.
 *
 * <p>Safe from any thread as far as the source below is.
 */
public final class OneVersionSource implements ByteSource {
    private final ByteSource source;

    /** The entity tag of the first answer; null before, and for stores without. Set once. */
    private final AtomicReference<String> version = new AtomicReference<>();

    /** Reads through {@code source}, for one file. */
    public OneVersionSource(ByteSource source) {
        this.source = source;
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        source.read(pinned(file), offset, target, at, length, new Comparing(file, scope));
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        return source.readTail(pinned(file), length, new Comparing(file, scope));
    }

    private FileRef pinned(FileRef file) {
        return file.etag() != null ? file : file.pinnedTo(version.get());
    }

    private final class Comparing implements ReadScope {
        private final FileRef file;
        private final ReadScope scope;

        Comparing(FileRef file, ReadScope scope) {
            this.file = file;
            this.scope = scope;
        }

        @Override
        public void version(String etag) throws FileChangedException {
            if (!version.compareAndSet(null, etag) && !EntityTags.same(version.get(), etag)) {
                throw new FileChangedException(file.path() + " changed while it was read: expected version "
                        + version.get() + ", found " + etag);
            }
            scope.version(etag);
        }

        @Override
        public boolean cancelled() {
            return scope.cancelled();
        }

        @Override
        public void onCancel(Runnable abort) {
            scope.onCancel(abort);
        }

        @Override
        public void clearOnCancel() {
            scope.clearOnCancel();
        }

        @Override
        public void requestSent() {
            scope.requestSent();
        }

        @Override
        public void received(int count) {
            scope.received(count);
        }

        @Override
        public void retried(IOFault fault) {
            scope.retried(fault);
        }
    }
}
