// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * A thin, read-only file system that serves the view bound to the current thread, and anything else from the file
 * system it stands in for. A configuration {@linkplain #install prepared} for it maps schemes to this class; only
 * Spark's reader is given that configuration.
 *
 * <p>Readers make a new instance for every file, so {@link #initialize} does next to nothing.
 */
public final class ViewFileSystem extends FileSystem {
    private static final String ORIGINAL = "asyncscan.original.";

    private static final ThreadLocal<FileView> BOUND = new ThreadLocal<>();

    private URI uri;

    /** Made by Hadoop, by reflection. */
    public ViewFileSystem() {}

    /**
     * Maps {@code schemes} of {@code conf} to this class; what they were mapped to is kept aside for {@link #original}.
     */
    public static void install(Configuration conf, Collection<String> schemes) {
        // All are kept aside before any is changed: the value of one may refer to another.
        for (String scheme : schemes) {
            if (ViewFileSystem.class.getName().equals(conf.get(implKey(scheme)))) {
                // Installed already: this class must not become its own original.
                continue;
            }
            for (String key : new String[] {implKey(scheme), disableCacheKey(scheme)}) {
                String before = conf.get(key);
                if (before != null) {
                    conf.set(ORIGINAL + key, before);
                }
            }
        }
        for (String scheme : schemes) {
            conf.setClass(implKey(scheme), ViewFileSystem.class, FileSystem.class);
            conf.setBoolean(disableCacheKey(scheme), true);
        }
    }

    /** The configuration as it was before {@link #install}, for one scheme. */
    public static Configuration original(Configuration conf, String scheme) {
        Configuration restored = new Configuration(conf);
        for (String key : new String[] {implKey(scheme), disableCacheKey(scheme)}) {
            String before = conf.get(ORIGINAL + key);
            if (before == null) {
                restored.unset(key);
            } else {
                restored.set(key, before);
                restored.unset(ORIGINAL + key);
            }
        }
        return restored;
    }

    /** Files that the current thread opens by {@code view}'s path are served from it, until {@link #unbind}. */
    public static void bind(FileView view) {
        BOUND.set(view);
    }

    /** Ends {@link #bind}. Streams that are open keep their view. */
    public static void unbind() {
        BOUND.remove();
    }

    private static String implKey(String scheme) {
        return "fs." + scheme + ".impl";
    }

    private static String disableCacheKey(String scheme) {
        return "fs." + scheme + ".impl.disable.cache";
    }

    @Override
    public void initialize(URI name, Configuration conf) {
        uri = name;
        setConf(conf);
    }

    @Override
    public String getScheme() {
        return uri.getScheme();
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    protected void checkPath(Path path) {
        // The file system that this one stands in for checks what it is handed.
    }

    private FileSystem target() throws IOException {
        return FileSystem.get(uri, original(getConf(), uri.getScheme()));
    }

    private static FileView bound(Path path) {
        FileView view = BOUND.get();
        return view != null && new Path(view.path()).equals(path) ? view : null;
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        FileView view = bound(path);
        return view == null ? target().open(path, bufferSize) : view.open();
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        FileView view = bound(path);
        return view == null
                ? target().getFileStatus(path)
                : new FileStatus(view.length(), false, 1, 1, view.modificationTime(), path);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws FileNotFoundException, IOException {
        return target().listStatus(path);
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path(uri.getScheme() + ":///");
    }

    @Override
    public void setWorkingDirectory(Path path) {
        throw readOnly();
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress) {
        throw readOnly();
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
        throw readOnly();
    }

    @Override
    public boolean rename(Path from, Path to) {
        throw readOnly();
    }

    @Override
    public boolean delete(Path path, boolean recursive) {
        throw readOnly();
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) {
        throw readOnly();
    }

    private static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException("asyncscan's view of a file system only reads");
    }
}
