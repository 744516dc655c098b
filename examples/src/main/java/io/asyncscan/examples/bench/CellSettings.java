// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.tpch.TableQuery;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What a child JVM is to do, written by the parent into a file.
 *
 * @param reader who reads
 * @param work what is run, how often
 * @param paths of the tables, by their names
 * @param conf Spark settings, the reader's included
 */
record CellSettings(MemoryReader reader, Work work, Map<String, String> paths, Map<String, String> conf) {
    private static final String PATH = "path.";
    private static final String CONF = "conf.";

    /**
     * What is run.
     *
     * @param queries at the same time
     * @param load how they follow each other while they are measured
     * @param warmUps rounds that are not measured
     * @param rounds how often each query ends, at least, while it is measured
     * @param cores Spark's task threads
     */
    record Work(List<TableQuery> queries, Load load, int warmUps, int rounds, int cores) {}

    void write(Path file) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("reader", reader.id());
        properties.setProperty(
                "queries",
                String.join(",", work.queries.stream().map(TableQuery::name).toList()));
        properties.setProperty("load", work.load.id());
        properties.setProperty("warmUps", Integer.toString(work.warmUps));
        properties.setProperty("rounds", Integer.toString(work.rounds));
        properties.setProperty("cores", Integer.toString(work.cores));
        paths.forEach((table, path) -> properties.setProperty(PATH + table, path));
        conf.forEach((key, value) -> properties.setProperty(CONF + key, value));
        try (OutputStream out = Files.newOutputStream(file)) {
            properties.store(out, null);
        }
    }

    static CellSettings read(Path file) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        return new CellSettings(
                MemoryReader.of(properties.getProperty("reader")),
                new Work(
                        Arrays.stream(properties.getProperty("queries").split(",", -1))
                                .map(TableQuery::valueOf)
                                .toList(),
                        Load.parse(properties.getProperty("load")),
                        Integer.parseInt(properties.getProperty("warmUps")),
                        Integer.parseInt(properties.getProperty("rounds")),
                        Integer.parseInt(properties.getProperty("cores"))),
                below(PATH, properties),
                below(CONF, properties));
    }

    private static Map<String, String> below(String prefix, Properties properties) {
        Map<String, String> values = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(prefix)) {
                values.put(name.substring(prefix.length()), properties.getProperty(name));
            }
        }
        return values;
    }
}
