// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.view;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ViewFileSystemTest {
    private final ViewFixture fixture = new ViewFixture(100);
    private final FileView view = fixture.fixed(0, 100).build();
    private final Path path = new Path(view.path());

    @TempDir
    java.nio.file.Path folder;

    @AfterEach
    void end() {
        ViewFileSystem.unbind();
        fixture.close();
    }

    @Test
    void restoresTheConfigurationItChanged() {
        Configuration conf = new Configuration(false);
        conf.set("fs.a.impl", "my.FileSystem");
        conf.set("fs.a.impl.disable.cache", "false");
        conf.set("fs.b.impl", "${fs.a.impl}");
        conf.set("other", "value");
        Map<String, String> before = entries(conf);
        ViewFileSystem.install(conf, List.of("a", "b", "c"));
        ViewFileSystem.install(conf, List.of("a", "b", "c"));
        for (String scheme : List.of("a", "b", "c")) {
            assertEquals(ViewFileSystem.class.getName(), conf.get("fs." + scheme + ".impl"));
            assertTrue(conf.getBoolean("fs." + scheme + ".impl.disable.cache", false));
        }
        assertEquals("my.FileSystem", ViewFileSystem.original(conf, "a").get("fs.a.impl"));
        assertNull(ViewFileSystem.original(conf, "c").get("fs.c.impl"));
        Configuration restored =
                ViewFileSystem.original(ViewFileSystem.original(ViewFileSystem.original(conf, "a"), "b"), "c");
        assertEquals(before, entries(restored));
        assertEquals(ViewFileSystem.class.getName(), conf.get("fs.a.impl"), "the configuration itself stays installed");
    }

    @Test
    void servesTheBoundViewByItsPath() throws IOException {
        Configuration conf = new Configuration(false);
        ViewFileSystem.install(conf, List.of("mem"));
        ViewFileSystem.bind(view);
        FileSystem fileSystem = path.getFileSystem(conf);
        assertTrue(fileSystem instanceof ViewFileSystem);
        FileStatus status = fileSystem.getFileStatus(path);
        assertEquals(100, status.getLen());
        assertEquals(1, status.getModificationTime());
        assertFalse(status.isDirectory());
        byte[] got = new byte[100];
        try (FSDataInputStream in = fileSystem.open(path)) {
            in.readFully(got);
            ViewFileSystem.unbind();
            in.readFully(0, got);
        }
        assertArrayEquals(fixture.range(0, 100), got);
        assertThrows(IOException.class, () -> fileSystem.open(path), "nothing is bound and nobody knows the scheme");
    }

    @Test
    void bindsPerThread() throws Exception {
        Configuration conf = new Configuration(false);
        ViewFileSystem.install(conf, List.of("mem"));
        ViewFileSystem.bind(view);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread other = new Thread(() -> {
            try {
                path.getFileSystem(conf).getFileStatus(path);
            } catch (IOException e) {
                failure.set(e);
            }
        });
        other.start();
        other.join();
        assertTrue(failure.get() instanceof IOException, "another thread sees no view");
    }

    @Test
    void anythingElseComesFromTheFileSystemItStandsInFor() throws IOException {
        java.nio.file.Path file = Files.write(folder.resolve("data"), new byte[] {1, 2, 3});
        Configuration conf = new Configuration(false);
        conf.setClass("fs.file.impl", LocalFileSystem.class, FileSystem.class);
        ViewFileSystem.install(conf, List.of("file"));
        ViewFileSystem.bind(view);
        FileSystem fileSystem = FileSystem.get(URI.create("file:///"), conf);
        assertTrue(fileSystem instanceof ViewFileSystem);
        assertEquals("file", fileSystem.getScheme());
        Path real = new Path(file.toUri());
        assertEquals(3, fileSystem.getFileStatus(real).getLen());
        assertEquals(1, fileSystem.listStatus(new Path(folder.toUri())).length);
        try (FSDataInputStream in = fileSystem.open(real)) {
            assertEquals(1, in.read());
        }
        Path missing = new Path(folder.resolve("missing").toUri());
        assertThrows(FileNotFoundException.class, () -> fileSystem.open(missing));
        assertThrows(FileNotFoundException.class, () -> fileSystem.getFileStatus(missing));
    }

    @Test
    void onlyReads() throws IOException {
        Configuration conf = new Configuration(false);
        ViewFileSystem.install(conf, List.of("mem"));
        FileSystem fileSystem = path.getFileSystem(conf);
        assertThrows(UnsupportedOperationException.class, () -> fileSystem.create(path));
        assertThrows(UnsupportedOperationException.class, () -> fileSystem.append(path));
        assertThrows(UnsupportedOperationException.class, () -> fileSystem.delete(path, true));
        assertThrows(UnsupportedOperationException.class, () -> fileSystem.rename(path, path));
        assertThrows(UnsupportedOperationException.class, () -> fileSystem.mkdirs(path));
    }

    private static Map<String, String> entries(Configuration conf) {
        Map<String, String> entries = new TreeMap<>();
        for (Map.Entry<String, String> entry : conf) {
            entries.put(entry.getKey(), conf.get(entry.getKey()));
        }
        return entries;
    }
}
