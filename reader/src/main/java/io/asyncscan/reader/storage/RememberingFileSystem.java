// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * S3A that remembers, while one read is resolved, what the store has said of a path. Resolving a read asks again and
 * again: whether a path exists, whether it is a directory, whether a streaming sink wrote it, what it lists; on an object
 * store each question is one to three requests, one after another.
 *
 * <p>A {@link Resolution} lends settings that put this class in S3A's place. When it is closed everything is forgotten;
 * file systems that were made with its settings pass every question on from then on. Thread-safe.
 */
public final class RememberingFileSystem extends FilterFileSystem {
    private static final Logger LOG = LoggerFactory.getLogger(RememberingFileSystem.class);
    private static final String PREFIX = "asyncscan.resolution.";
    private static final String ID = PREFIX + "id";

    /** Block size of files that were opened (bytes): S3A's default. Objects have no blocks. */
    private static final long BLOCK = 32L << 20;

    /** Most listings at once: far below a connection pool. Where there are more directories, Spark lists them in a job. */
    private static final int MAX_LISTINGS = 64;

    /** What each open resolution has been told. */
    private static final Map<String, Memory> OPEN = new ConcurrentHashMap<>();

    private Memory memory;

    /** Answers of the store. Paths are qualified. */
    private static final class Memory {
        private final Map<Path, FileStatus> found = new ConcurrentHashMap<>();
        private final Map<Path, String> absent = new ConcurrentHashMap<>();
        private final Map<Path, FileStatus[]> listed = new ConcurrentHashMap<>();

        /** Listings that are under way. */
        private final Map<Path, Future<FileStatus[]>> coming = new ConcurrentHashMap<>();

        /** Paths that have no object of their name; there may be a directory. */
        private final Set<Path> noObject = ConcurrentHashMap.newKeySet();

        /** Last bytes of files that were opened. */
        private final Map<String, FileTail> opened = new ConcurrentHashMap<>();
    }

    /** The time in which one read is resolved. Closed by whoever opened it. */
    public static final class Resolution implements AutoCloseable {
        private final String id = UUID.randomUUID().toString();
        private final Map<String, String> settings = new LinkedHashMap<>();

        private Resolution() {}

        /** What to lay over the configuration the read is resolved with; empty where there is nothing to gain. */
        public Map<String, String> settings() {
            return settings;
        }

        /**
         * Reads the end of what is probably a file, and is wanted then anyway, in place of asking whether it is one. If it
         * succeeds, the status of the file is known as well.
         *
         * @param source of the file system that {@code path} is in
         * @param path qualified
         * @param length bytes that are wanted
         */
        public void tryOpen(ByteSource source, Path path, int length, ReadScope scope) throws IOException {
            Memory memory = OPEN.get(id);
            if (memory == null) {
                return;
            }
            try {
                Optional<FileTail> tail = source.open(path.toString(), length, scope);
                tail.ifPresent(end -> {
                    FileRef file = end.file();
                    memory.opened.put(file.path(), end);
                    memory.found.put(
                            path, new FileStatus(file.length(), false, 1, BLOCK, file.modificationTime(), path));
                });
            } catch (FileNotFoundException e) {
                LOG.debug("{} is not a file", path, e);
                memory.noObject.add(path);
            }
        }

        @Override
        public void close() {
            OPEN.remove(id);
        }
    }

    /** Made by Hadoop, by reflection. */
    public RememberingFileSystem() {}

    /**
     * Starts to remember.
     *
     * @param conf the configuration the read would be resolved with
     * @param paths of the read; those of other file systems than S3A are left alone
     */
    public static Resolution open(Configuration conf, Collection<Path> paths) throws IOException {
        Resolution resolution = new Resolution();
        Map<String, String> settings = new HashMap<>();
        for (Path path : paths) {
            String scheme = path.toUri().getScheme();
            if (scheme == null
                    || settings.containsKey(implKey(scheme))
                    || conf.getBoolean(disableCacheKey(scheme), false)
                    || !ByteSources.isS3a(path.getFileSystem(conf))) {
                continue;
            }
            String impl = conf.get(implKey(scheme));
            if (impl != null) {
                settings.put(PREFIX + implKey(scheme), impl);
            }
            settings.put(implKey(scheme), RememberingFileSystem.class.getName());
            settings.put(disableCacheKey(scheme), "true");
        }
        if (!settings.isEmpty()) {
            settings.put(ID, resolution.id);
            resolution.settings.putAll(settings);
            OPEN.put(resolution.id, new Memory());
        }
        return resolution;
    }

    /** {@code settings} as they were before those of a {@link Resolution} were laid over them. */
    public static Map<String, String> without(Map<String, String> settings) {
        if (!settings.containsKey(ID)) {
            return settings;
        }
        Map<String, String> result = new HashMap<>();
        settings.forEach((key, value) -> {
            String cached = key.replaceFirst("\\.impl\\.disable\\.cache$", ".impl");
            if (key.equals(ID)) {
                return;
            }
            if (key.startsWith(PREFIX)) {
                // A class the user may have named.
                result.put(key.substring(PREFIX.length()), value);
            } else if (!RememberingFileSystem.class.getName().equals(settings.get(cached))) {
                result.put(key, value);
            }
        });
        return result;
    }

    /** What {@link Resolution#tryOpen} read of {@code file}, if its {@code settings} are among these. */
    public static Optional<FileTail> opened(Map<String, String> settings, FileRef file) {
        Memory memory = OPEN.get(settings.getOrDefault(ID, ""));
        return memory == null
                ? Optional.empty()
                : Optional.ofNullable(memory.opened.get(file.path()))
                        .filter(tail -> tail.file().length() == file.length()
                                && tail.file().modificationTime() == file.modificationTime());
    }

    private static String implKey(String scheme) {
        return "fs." + scheme + ".impl";
    }

    private static String disableCacheKey(String scheme) {
        return "fs." + scheme + ".impl.disable.cache";
    }

    /** {@code conf} as it was for the scheme of {@code name} before the settings of a {@link Resolution} were laid over it. */
    public static Configuration behind(URI name, Configuration conf) {
        String scheme = name.getScheme();
        if (!RememberingFileSystem.class.getName().equals(conf.get(implKey(scheme)))) {
            return conf;
        }
        Configuration real = new Configuration(conf);
        real.unset(disableCacheKey(scheme));
        String impl = conf.get(PREFIX + implKey(scheme));
        if (impl == null) {
            real.unset(implKey(scheme));
        } else {
            real.set(implKey(scheme), impl);
        }
        return real;
    }

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
        fs = FileSystem.get(name, behind(name, conf));
        memory = OPEN.get(conf.get(ID, ""));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        if (memory == null) {
            return fs.getFileStatus(path);
        }
        Path full = makeQualified(path);
        FileStatus known = memory.found.get(full);
        if (known != null) {
            return known;
        }
        FileStatus parent = full.getParent() == null ? null : memory.found.get(full.getParent());
        if (parent != null && parent.isDirectory()) {
            // What is asked about a directory's child, the listing tells as well, and that is needed anyway.
            listStatus(parent.getPath());
            known = memory.found.get(full);
            if (known != null) {
                return known;
            }
            memory.absent.put(full, full + " is not in the listing of its directory");
        }
        String absent = memory.absent.get(full);
        if (absent != null) {
            throw new FileNotFoundException(absent);
        }
        try {
            FileStatus status = isLikelyDirectory(full) ? directory(full) : null;
            if (status == null) {
                status = fs.getFileStatus(path);
            }
            memory.found.put(full, status);
            return status;
        } catch (FileNotFoundException e) {
            memory.absent.put(full, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        if (memory == null) {
            return fs.listStatus(path);
        }
        Path full = makeQualified(path);
        FileStatus known = memory.found.get(full);
        if (known != null && known.isFile()) {
            return new FileStatus[] {known};
        }
        FileStatus[] listed = memory.listed.get(full);
        if (listed == null) {
            Future<FileStatus[]> coming = memory.coming.remove(full);
            listed = coming == null ? fs.listStatus(path) : await(coming, full);
            remember(full, listed);
        }
        return listed.clone();
    }

    private void remember(Path directory, FileStatus[] children) {
        for (FileStatus child : children) {
            memory.found.put(makeQualified(child.getPath()), child);
        }
        memory.listed.put(directory, children);
        listAhead(children);
    }

    /**
     * Lists all directories among {@code children} at once. Spark lists them all, one after the other if they are few; if
     * they are many it starts a job for that.
     */
    private void listAhead(FileStatus[] children) {
        List<Path> directories = new ArrayList<>();
        for (FileStatus child : children) {
            String name = child.getPath().getName();
            // Spark leaves these out, as long as they are not partitions.
            boolean hidden = name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
            if (child.isDirectory() && !hidden) {
                directories.add(makeQualified(child.getPath()));
            }
        }
        if (directories.size() < 2 || directories.size() > MAX_LISTINGS) {
            return;
        }
        ExecutorService listers = Executors.newFixedThreadPool(directories.size(), RememberingFileSystem::lister);
        for (Path directory : directories) {
            memory.coming.put(directory, listers.submit(() -> fs.listStatus(directory)));
        }
        // The threads end with their one listing.
        listers.shutdown();
    }

    private static Thread lister(Runnable work) {
        Thread thread = new Thread(work, "asyncscan-list");
        thread.setDaemon(true);
        return thread;
    }

    private static FileStatus[] await(Future<FileStatus[]> listing, Path directory) throws IOException {
        try {
            return listing.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while listing " + directory);
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("cannot list " + directory, e.getCause());
        }
    }

    private boolean isLikelyDirectory(Path full) {
        return full.getParent() != null
                && (memory.noObject.contains(full) || full.getName().indexOf('.') < 0);
    }

    /**
     * Asks at the same time whether there is an object and what lies below it; S3A asks one after the other, and is asked
     * for the listing next. An object hides what lies below it, as S3A has it.
     *
     * @return null if it is not a directory with children: S3A says what it is then
     */
    private FileStatus directory(Path full) throws IOException {
        FutureTask<FileStatus[]> listing = new FutureTask<>(() -> fs.listStatus(full));
        try {
            if (memory.noObject.contains(full)) {
                listing.run();
            } else {
                lister(listing).start();
                if (S3aObjects.exists(fs, full)) {
                    return null;
                }
            }
            FileStatus[] children = await(listing, full);
            if (children.length == 0 || makeQualified(children[0].getPath()).equals(full)) {
                return null;
            }
            remember(full, children);
            return new FileStatus(0, true, 1, 0, 0, full);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | LinkageError e) {
            LOG.debug("{} is looked at as S3A does", full, e);
            return null;
        }
    }

    @Override
    public void close() {
        // The file system behind it is Hadoop's cached one, which is nobody's to close.
    }
}
