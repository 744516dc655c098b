// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * S3A that remembers, while one read is resolved, what the store has said of a path. Resolving a read asks again and
 * again: whether a path exists, whether it is a directory, whether a streaming sink wrote it, what it lists; on an object
 * store each question is one to three requests, one after another.
 *
 * <p>A {@link Resolution} lends settings that put this class in S3A's place. When it is closed everything is forgotten;
 * file systems that were made with its settings pass every question on from then on. Thread-safe.
 */
public final class RememberingFileSystem extends FilterFileSystem {
    private static final String PREFIX = "asyncscan.resolution.";
    private static final String ID = PREFIX + "id";

    /** What each open resolution has been told. */
    private static final Map<String, Memory> OPEN = new ConcurrentHashMap<>();

    private Memory memory;

    /** Answers of the store. Paths are qualified. */
    private static final class Memory {
        private final Map<Path, FileStatus> found = new ConcurrentHashMap<>();
        private final Map<Path, String> absent = new ConcurrentHashMap<>();
        private final Map<Path, FileStatus[]> listed = new ConcurrentHashMap<>();
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

    private static String implKey(String scheme) {
        return "fs." + scheme + ".impl";
    }

    private static String disableCacheKey(String scheme) {
        return "fs." + scheme + ".impl.disable.cache";
    }

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
        String scheme = name.getScheme();
        Configuration real = new Configuration(conf);
        real.unset(disableCacheKey(scheme));
        String impl = conf.get(PREFIX + implKey(scheme));
        if (impl == null) {
            real.unset(implKey(scheme));
        } else {
            real.set(implKey(scheme), impl);
        }
        fs = FileSystem.get(name, real);
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
            FileStatus status = fs.getFileStatus(path);
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
            listed = fs.listStatus(path);
            for (FileStatus child : listed) {
                memory.found.put(makeQualified(child.getPath()), child);
            }
            memory.listed.put(full, listed);
        }
        return listed.clone();
    }

    @Override
    public void close() {
        // The file system behind it is Hadoop's cached one, which is nobody's to close.
    }
}
