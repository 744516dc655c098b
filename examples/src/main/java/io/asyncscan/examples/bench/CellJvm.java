// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Runs {@link MemoryCell} in a JVM with a heap of its own, and otherwise the options of this one. */
final class CellJvm {
    /** How the JVM ends of itself, and how Spark ends it. */
    private static final Set<Integer> OUT_OF_MEMORY = Set.of(3, 52);

    private final Path directory;
    private final Duration patience;

    /**
     * Children that leave their logs in {@code directory}.
     *
     * @param patience after which a child is ended and counts as failed
     */
    CellJvm(Path directory, Duration patience) {
        this.directory = directory;
        this.patience = patience;
    }

    /**
     * Runs one child to its end.
     *
     * @param name of its log
     * @return what it measured; nothing if it ran out of memory or took too long
     * @throws IOException if it failed otherwise
     */
    Optional<CellFigures> run(String name, int heapMb, CellSettings settings) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path file = directory.resolve(name + ".properties");
        settings.write(file);
        Path log = log(name);
        Process child = new ProcessBuilder(command(heapMb, file))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!child.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
            int code = child.exitValue();
            if (OUT_OF_MEMORY.contains(code)) {
                return Optional.empty();
            }
            if (code != 0) {
                throw new IOException("a child ended with code " + code + ", see " + log);
            }
        } finally {
            child.destroyForcibly();
        }
        return CellFigures.find(Files.readAllLines(log));
    }

    /** What the child of that name printed. */
    Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private static List<String> command(int heapMb, Path settings) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!option.startsWith("-Xm") && !option.startsWith("-agentlib")) {
                command.add(option);
            }
        }
        command.add("-Xmx" + heapMb + "m");
        // Spark ends by itself only where a task runs out of memory; elsewhere the rest would hang on.
        command.add("-XX:+ExitOnOutOfMemoryError");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(MemoryCell.class.getName());
        command.add("--settings");
        command.add(settings.toString());
        return command;
    }
}
