// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.s3;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.gaul.s3proxy.blobstore.BlobStore;
import org.gaul.s3proxy.blobstore.ForwardingBlobStore;
import org.gaul.s3proxy.blobstore.domain.Blob;
import org.gaul.s3proxy.blobstore.domain.BlobMetadata;
import org.gaul.s3proxy.blobstore.domain.PageSet;
import org.gaul.s3proxy.blobstore.domain.StorageMetadata;
import org.gaul.s3proxy.blobstore.options.GetOptions;
import org.gaul.s3proxy.blobstore.options.ListContainerOptions;

/** Sends what is read from a blob store over a {@link Link}. Writes pass as they are. */
final class ShapedBlobStore extends ForwardingBlobStore {
    private final Link link;

    ShapedBlobStore(BlobStore store, Link link) {
        super(store);
        this.link = link;
    }

    @Override
    public Blob getBlob(String container, String name, GetOptions options) {
        await(link::get);
        Blob blob = super.getBlob(container, name, options);
        if (blob == null) {
            return null;
        }
        InputStream payload = blob.getPayload();
        return blob.toBuilder()
                .payload(new PacedStream(payload, link.newBody()))
                .build();
    }

    @Override
    public BlobMetadata blobMetadata(String container, String name) {
        await(link::head);
        return super.blobMetadata(container, name);
    }

    @Override
    public PageSet<? extends StorageMetadata> list(String container, ListContainerOptions options) {
        await(link::list);
        return super.list(container, options);
    }

    private interface Wait {
        void run() throws IOException;
    }

    private static void await(Wait wait) {
        try {
            wait.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
