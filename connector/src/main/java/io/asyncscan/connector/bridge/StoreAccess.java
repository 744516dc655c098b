// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.storage.ByteSource;
import io.asyncscan.reader.storage.ByteSources;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.RangePolicy;
import io.asyncscan.reader.storage.RetryPolicy;
import io.asyncscan.reader.storage.StoreEstimate;
import io.asyncscan.reader.view.ViewFileSystem;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The stores of one scan in one process: which byte source a file has, and how its ranges are requested. Thread-safe.
 * The file systems behind it are Hadoop's cached ones, which are nobody's to close.
 */
public final class StoreAccess {
    /** Longest pause between two attempts. */
    private static final Duration MAX_DELAY = Duration.ofSeconds(10);

    private final Configuration conf;
    private final boolean behindViews;
    private final ReadOptions options;
    private final Map<String, Store> stores = new ConcurrentHashMap<>();

    /**
     * One file system.
     *
     * @param source where bytes come from, retries included
     * @param ranges how ranges merge and split
     */
    public record Store(ByteSource source, RangePolicy ranges) {}

    private StoreAccess(Configuration conf, boolean behindViews, ReadOptions options) {
        this.conf = conf;
        this.behindViews = behindViews;
        this.options = options;
    }

    /** Stores of an ordinary configuration. */
    public static StoreAccess of(Configuration conf, ReadOptions options) {
        return new StoreAccess(conf, false, options);
    }

    /** Stores of a configuration that shows a reader views: the file systems behind those. */
    static StoreAccess behindViews(Configuration conf, ReadOptions options) {
        return new StoreAccess(conf, true, options);
    }

    /** The store that {@code file} is in. */
    public Store of(FileRef file) throws IOException {
        URI uri = new Path(file.path()).toUri();
        String key = uri.getScheme() + "://" + uri.getAuthority();
        Store known = stores.get(key);
        if (known != null) {
            return known;
        }
        Configuration real = behindViews ? ViewFileSystem.original(conf, uri.getScheme()) : conf;
        FileSystem fileSystem = FileSystem.get(uri, real);
        Duration delay = options.retryBaseDelay();
        RetryPolicy retries = new RetryPolicy(
                options.maxAttempts(),
                delay,
                delay.compareTo(MAX_DELAY) > 0 ? delay : MAX_DELAY,
                options.progressTimeout());
        StoreEstimate estimate = StoreEstimate.forScheme(uri.getScheme());
        RangePolicy ranges = new RangePolicy(
                options.partSize(), options.fixedCoalesceGap().orElse(estimate.coalesceGap()), options.maxOverRead());
        Store store = new Store(ByteSources.forFileSystem(fileSystem, retries), ranges);
        stores.putIfAbsent(key, store);
        return stores.get(key);
    }
}
