// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.tpch.TableQuery;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Queries that run at the same time in one Spark application, each on a thread and in a pool of the fair scheduler of its
 * own. For one thread; the owner closes it.
 */
final class ConcurrentQueries implements AutoCloseable {
    /** Digits of an answer's digest. */
    private static final int DIGEST_LENGTH = 12;

    private final Map<TableQuery, SparkSession> sessions = new LinkedHashMap<>();
    private final ExecutorService threads;
    private final SortedMap<String, Set<String>> answers = new TreeMap<>();

    /** Queries whose plan was printed. */
    private final Set<TableQuery> planned = ConcurrentHashMap.newKeySet();

    private int failures;

    /**
     * Prepares a session with views for each query.
     *
     * @param format what {@code spark.read.format} is given
     * @param paths of the tables, by their names
     */
    ConcurrentQueries(SparkSession spark, List<TableQuery> queries, String format, Map<String, String> paths) {
        threads = Executors.newFixedThreadPool(queries.size());
        for (TableQuery query : queries) {
            SparkSession session = spark.newSession();
            paths.forEach(
                    (table, path) -> session.read().format(format).load(path).createOrReplaceTempView(table));
            sessions.put(query, session);
        }
    }

    /** Runs each query once and returns when all have ended: the seconds that took. */
    double round() throws InterruptedException {
        long start = System.nanoTime();
        Map<TableQuery, Future<String>> running = new LinkedHashMap<>();
        sessions.forEach((query, session) -> running.put(query, threads.submit(() -> run(query, session))));
        for (Map.Entry<TableQuery, Future<String>> each : running.entrySet()) {
            try {
                answers.computeIfAbsent(each.getKey().name(), name -> new TreeSet<>())
                        .add(each.getValue().get());
            } catch (ExecutionException e) {
                failures++;
                System.err.println("error: " + each.getKey() + " failed: " + e.getCause());
            }
        }
        return (double) (System.nanoTime() - start) / 1e9;
    }

    private String run(TableQuery query, SparkSession session) throws NoSuchAlgorithmException {
        session.sparkContext().setLocalProperty("spark.scheduler.pool", query.name());
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        Dataset<Row> answer = session.sql(query.sql());
        List<Row> rows = answer.collectAsList();
        for (Row row : rows) {
            digest.update(row.mkString("|").getBytes(StandardCharsets.UTF_8));
            digest.update((byte) '\n');
        }
        if (planned.add(query)) {
            // Into the log of this JVM: readers are compared by what they do with the same plan.
            System.out.println(query + ": " + answer.queryExecution().executedPlan());
        }
        return rows.size() + ":" + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_LENGTH);
    }

    /** Queries that have ended with an error. */
    int failures() {
        return failures;
    }

    /** Digests of the rows by query, those of all rounds joined by commas if they differ. */
    SortedMap<String, String> answers() {
        SortedMap<String, String> joined = new TreeMap<>();
        answers.forEach((query, all) -> joined.put(query, String.join(",", all)));
        return joined;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
