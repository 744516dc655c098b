// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.S3AInternals;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

class RememberingFileSystemTest {

    @Test
    void otherFileSystemsAreLeftAlone() throws IOException {
        try (RememberingFileSystem.Resolution resolution =
                RememberingFileSystem.open(new Configuration(false), List.of(new Path("/tmp"), new Path("file:/a")))) {
            assertTrue(resolution.settings().isEmpty());
        }
    }

    @Test
    void settingsComeOffAgain() {
        Map<String, String> given = Map.of("fs.s3a.impl", "X", "fs.gs.impl.disable.cache", "true", "a", "b");
        Map<String, String> laidOver = new HashMap<>(given);
        laidOver.put("fs.s3a.impl", RememberingFileSystem.class.getName());
        laidOver.put("fs.s3a.impl.disable.cache", "true");
        laidOver.put("asyncscan.resolution.id", "1");
        laidOver.put("asyncscan.resolution.fs.s3a.impl", "X");
        assertEquals(given, RememberingFileSystem.without(laidOver), "the class the user named included");
        assertEquals(given, RememberingFileSystem.without(given));
    }

    @Test
    void askedOnceWhileResolvingAndEachTimeAfterwards() throws IOException {
        Configuration conf = new Configuration(false);
        conf.setClass("fs.s3a.impl", Store.class, FileSystem.class);
        Path dir = new Path("s3a://bucket/dir");
        Path file = new Path(dir, "one.parquet");
        RememberingFileSystem.Resolution resolution = RememberingFileSystem.open(conf, List.of(file));
        Configuration laidOver = new Configuration(conf);
        resolution.settings().forEach(laidOver::set);
        FileSystem remembering = file.getFileSystem(laidOver);
        FileSystem other = file.getFileSystem(laidOver);
        try (resolution) {
            assertEquals(10, remembering.getFileStatus(file).getLen());
            assertTrue(other.exists(file));
            assertTrue(remembering.getFileStatus(file).isFile());
            assertEquals(1, other.listStatus(file).length);
            assertEquals(List.of("status /dir/one.parquet"), Store.asked());

            assertTrue(remembering.getFileStatus(dir).isDirectory());
            assertFalse(remembering.exists(new Path(dir, "_spark_metadata")));
            assertEquals(2, other.listStatus(dir).length);
            assertTrue(other.exists(new Path(dir, "two.parquet")));
            assertEquals(List.of("list /dir", "object /dir"), sorted(Store.asked()), "one listing for all of it");

            Path missing = new Path("s3a://bucket/elsewhere");
            assertThrows(FileNotFoundException.class, () -> remembering.getFileStatus(missing));
            assertThrows(FileNotFoundException.class, () -> other.getFileStatus(missing));
            assertEquals(List.of("list /elsewhere", "object /elsewhere", "status /elsewhere"), sorted(Store.asked()));
        }
        FileSystem late = file.getFileSystem(laidOver);
        late.getFileStatus(file);
        late.getFileStatus(file);
        late.listStatus(dir);
        assertEquals(
                List.of("status /dir/one.parquet", "status /dir/one.parquet", "list /dir"),
                Store.asked(),
                "nothing is remembered when the read is resolved");
        remembering.close();
        assertFalse(Store.closed, "the file system behind it is everybody's");
    }

    @Test
    void partitionsAreListedAtOnce() throws IOException {
        Configuration conf = new Configuration(false);
        conf.setClass("fs.s3a.impl", Store.class, FileSystem.class);
        Path table = new Path("s3a://bucket/table");
        try (RememberingFileSystem.Resolution resolution = RememberingFileSystem.open(conf, List.of(table))) {
            resolution.settings().forEach(conf::set);
            FileSystem remembering = table.getFileSystem(conf);
            // One listing is answered when the other is under way as well.
            Store.together = new CyclicBarrier(2);
            assertEquals(4, remembering.listStatus(table).length);
            assertEquals(2, remembering.listStatus(new Path(table, "d=1")).length);
            assertEquals(2, remembering.listStatus(new Path(table, "d=2")).length);
            assertEquals(2, remembering.listStatus(new Path(table, "d=2")).length);
            assertEquals(
                    List.of("list /table", "list /table/d=1", "list /table/d=2"),
                    sorted(Store.asked()),
                    "each once, and nothing hidden");
        } finally {
            Store.together = null;
        }
    }

    @Test
    void anObjectHidesTheDirectoryOfItsName() throws IOException {
        Configuration conf = new Configuration(false);
        conf.setClass("fs.s3a.impl", Store.class, FileSystem.class);
        Path both = new Path("s3a://bucket/both");
        try (RememberingFileSystem.Resolution resolution = RememberingFileSystem.open(conf, List.of(both))) {
            resolution.settings().forEach(conf::set);
            FileSystem remembering = both.getFileSystem(conf);
            Store.together = new CyclicBarrier(2);
            assertTrue(remembering.getFileStatus(both).isFile());
            assertEquals(1, remembering.listStatus(both).length);
            // The listing nobody needs may still be under way.
            Store.meet();
        } finally {
            Store.together = null;
        }
        assertEquals(List.of("list /both", "object /both", "status /both"), sorted(Store.asked()));
    }

    @Test
    void whatWasOpenedIsKnown() throws IOException {
        Configuration conf = new Configuration(false);
        conf.setClass("fs.s3a.impl", Store.class, FileSystem.class);
        Path file = new Path("s3a://bucket/dir/one.parquet");
        Path directory = new Path("s3a://bucket/dir.parquet");
        FileRef found = new FileRef(file.toString(), 10, 1000, "\"v\"");
        ByteSource source = new Opener(found);
        Map<String, String> settings;
        try (RememberingFileSystem.Resolution resolution = RememberingFileSystem.open(conf, List.of(file))) {
            settings = resolution.settings();
            settings.forEach(conf::set);
            FileSystem remembering = file.getFileSystem(conf);
            resolution.tryOpen(source, file, 4, new RecordingScope());
            resolution.tryOpen(source, directory, 4, new RecordingScope());

            assertEquals(10, remembering.getFileStatus(file).getLen());
            assertEquals(1000, remembering.getFileStatus(file).getModificationTime());
            assertEquals(List.of(), Store.asked());
            FileRef listed = FileRef.listed(file.toString(), 10, 1000);
            assertEquals(
                    found,
                    RememberingFileSystem.opened(settings, listed).orElseThrow().file());
            assertFalse(RememberingFileSystem.opened(settings, FileRef.listed(file.toString(), 11, 1000))
                    .isPresent());

            assertTrue(remembering.getFileStatus(directory).isDirectory());
            assertEquals(2, remembering.listStatus(directory).length);
            assertEquals(List.of("list /dir.parquet"), Store.asked(), "that there is no object is known");
        }
        assertFalse(RememberingFileSystem.opened(settings, FileRef.listed(file.toString(), 10, 1000))
                .isPresent());
    }

    private static List<String> sorted(List<String> asked) {
        return asked.stream().sorted().toList();
    }

    /** Opens one file and knows of no other. */
    private record Opener(FileRef file) implements ByteSource {
        @Override
        public void read(FileRef other, long offset, byte[] target, int at, int length, ReadScope scope) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileTail readTail(FileRef other, int length, ReadScope scope) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<FileTail> open(String path, int length, ReadScope scope) throws IOException {
            if (!path.equals(file.path())) {
                throw new FileNotFoundException(path);
            }
            return Optional.of(new FileTail(file, new byte[length]));
        }
    }

    /** S3A by its class; two files in one directory, and a record of what was asked. */
    public static final class Store extends S3AFileSystem {
        private static final List<String> ASKED = Collections.synchronizedList(new ArrayList<>());
        private static boolean closed;
        private static volatile CyclicBarrier together;

        static List<String> asked() {
            List<String> result = List.copyOf(ASKED);
            ASKED.clear();
            return result;
        }

        /** Answers {@code getObjectMetadata} only. */
        @Override
        public S3AInternals getS3AInternals() {
            return (S3AInternals) Proxy.newProxyInstance(
                    Store.class.getClassLoader(), new Class<?>[] {S3AInternals.class}, (proxy, method, arguments) -> {
                        String path = ((Path) arguments[0]).toUri().getPath();
                        ASKED.add("object " + path);
                        if (!path.equals("/both")) {
                            throw new FileNotFoundException(path);
                        }
                        return HeadObjectResponse.builder().build();
                    });
        }

        @Override
        public void initialize(URI name, Configuration conf) {
            setConf(conf);
        }

        @Override
        public URI getUri() {
            return URI.create("s3a://bucket");
        }

        @Override
        public Path makeQualified(Path path) {
            return path.makeQualified(getUri(), new Path("/"));
        }

        @Override
        public FileStatus getFileStatus(Path path) throws IOException {
            ASKED.add("status " + path.toUri().getPath());
            return switch (path.toUri().getPath()) {
                case "/dir" -> new FileStatus(0, true, 1, 1, 0, path);
                case "/both" -> new FileStatus(5, false, 1, 1, 0, path);
                case "/dir/one.parquet" -> new FileStatus(10, false, 1, 1, 0, path);
                case "/dir/two.parquet" -> new FileStatus(20, false, 1, 1, 0, path);
                default -> throw new FileNotFoundException(path.toString());
            };
        }

        @Override
        public FileStatus[] listStatus(Path path) throws IOException {
            ASKED.add("list " + path.toUri().getPath());
            if (path.toUri().getPath().equals("/elsewhere")) {
                throw new FileNotFoundException(path.toString());
            }
            if (path.toUri().getPath().equals("/table")) {
                return new FileStatus[] {
                    new FileStatus(0, true, 1, 1, 0, new Path(path, ".hidden")),
                    new FileStatus(0, true, 1, 1, 0, new Path(path, "_temporary")),
                    new FileStatus(0, true, 1, 1, 0, new Path(path, "d=1")),
                    new FileStatus(0, true, 1, 1, 0, new Path(path, "d=2"))
                };
            }
            if (path.getName().startsWith("d=") || path.getName().equals("both")) {
                meet();
            }
            return new FileStatus[] {
                new FileStatus(10, false, 1, 1, 0, new Path(path, "one.parquet")),
                new FileStatus(20, false, 1, 1, 0, new Path(path, "two.parquet"))
            };
        }

        private static void meet() throws IOException {
            try {
                together.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IOException("listed alone", e);
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
