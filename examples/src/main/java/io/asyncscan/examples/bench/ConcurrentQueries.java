// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.tpch.TableQuery;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkContext;
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

    private static final long CANCEL_MILLIS = 100;

    private final SparkContext context;
    private final Map<TableQuery, SparkSession> sessions = new EnumMap<>(TableQuery.class);
    private final ExecutorService threads;
    private final SortedMap<String, Set<String>> answers = new TreeMap<>();

    /** Queries whose plan was printed. */
    private final Set<TableQuery> planned = ConcurrentHashMap.newKeySet();

    /** Runs that were begun; names them, too. */
    private final AtomicInteger begun = new AtomicInteger();

    private int failures;

    /** A run of a query that ended well: what its jobs say in {@link TaskTotals#RUN}, and how long it took. */
    record Run(String id, double seconds, String answer) {}

    /**
     * What was measured.
     *
     * @param seconds of each round; under a steady load of the runs of the query that had run often enough last
     * @param runs that ended in that time, by query
     */
    record Measured(List<Double> seconds, Map<TableQuery, List<Run>> runs) {
        int ended() {
            return runs.values().stream().mapToInt(List::size).sum();
        }
    }

    /**
     * Prepares a session with views for each query.
     *
     * @param format what {@code spark.read.format} is given
     * @param paths of the tables, by their names
     */
    ConcurrentQueries(SparkSession spark, List<TableQuery> queries, String format, Map<String, String> paths) {
        context = spark.sparkContext();
        threads = Executors.newFixedThreadPool(queries.size());
        for (TableQuery query : queries) {
            SparkSession session = spark.newSession();
            paths.forEach(
                    (table, path) -> session.read().format(format).load(path).createOrReplaceTempView(table));
            sessions.put(query, session);
        }
    }

    /** Runs each query so often; all start together, and again when all have ended. */
    Measured rounds(int times) throws InterruptedException {
        Measured measured = new Measured(new ArrayList<>(), new EnumMap<>(TableQuery.class));
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            Map<TableQuery, Future<List<Run>>> running = new EnumMap<>(TableQuery.class);
            sessions.forEach((query, session) ->
                    running.put(query, threads.submit(() -> List.of(run(query, session)))));
            for (Map.Entry<TableQuery, Future<List<Run>>> each : running.entrySet()) {
                note(each.getKey(), each.getValue(), measured);
            }
            measured.seconds.add(secondsSince(start));
        }
        return measured;
    }

    /**
     * Runs each query again as soon as it has ended, until the last of them has ended so often. Runs that have not ended by
     * then are cancelled and not in what was measured.
     */
    Measured steadily(int times) throws InterruptedException {
        Measured measured = new Measured(new ArrayList<>(), new EnumMap<>(TableQuery.class));
        long start = System.nanoTime();
        CountDownLatch missing = new CountDownLatch(sessions.size());
        Map<TableQuery, Future<List<Run>>> running = new EnumMap<>(TableQuery.class);
        sessions.forEach(
                (query, session) -> running.put(query, threads.submit(() -> again(query, session, times, missing))));
        missing.await();
        double seconds = secondsSince(start);
        for (Map.Entry<TableQuery, Future<List<Run>>> each : running.entrySet()) {
            note(each.getKey(), cancelled(each.getValue()), measured);
        }
        // All began at once and none paused, so the last to have run often enough is the one that took longest for it.
        measured.runs.values().stream()
                .map(runs -> runs.stream().limit(times).map(Run::seconds).toList())
                .max(Comparator.comparingDouble(ConcurrentQueries::sum))
                .ifPresentOrElse(measured.seconds::addAll, () -> measured.seconds.add(seconds));
        return measured;
    }

    private static double sum(List<Double> seconds) {
        return seconds.stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Runs that ended while a query was missing. One that fails ends the measurement. */
    private List<Run> again(TableQuery query, SparkSession session, int times, CountDownLatch missing)
            throws Exception {
        List<Run> runs = new ArrayList<>();
        while (missing.getCount() > 0) {
            Run run;
            try {
                run = run(query, session);
            } catch (Throwable e) {
                if (missing.getCount() == 0) {
                    // Cancelled, as a rule; the log of this JVM says what else it was.
                    System.out.println(query + " was not run to its end: " + e);
                    return runs;
                }
                while (missing.getCount() > 0) {
                    missing.countDown();
                }
                throw e;
            }
            if (missing.getCount() > 0) {
                runs.add(run);
                if (runs.size() == times) {
                    missing.countDown();
                }
            }
        }
        return runs;
    }

    /** Waits for the end of what is cancelled meanwhile, as often as it takes: a query goes on with another job. */
    private <T> Future<T> cancelled(Future<T> running) throws InterruptedException {
        while (true) {
            context.cancelAllJobs();
            try {
                running.get(CANCEL_MILLIS, TimeUnit.MILLISECONDS);
                return running;
            } catch (TimeoutException e) {
                // It has not ended yet.
            } catch (ExecutionException e) {
                // Whoever asks for its result is told.
                return running;
            }
        }
    }

    private void note(TableQuery query, Future<List<Run>> running, Measured measured) throws InterruptedException {
        try {
            for (Run run : running.get()) {
                measured.runs.computeIfAbsent(query, same -> new ArrayList<>()).add(run);
                answers.computeIfAbsent(query.name(), name -> new TreeSet<>()).add(run.answer);
            }
        } catch (ExecutionException e) {
            failures++;
            System.err.println("error: " + query + " failed: " + e.getCause());
        }
    }

    private Run run(TableQuery query, SparkSession session) throws NoSuchAlgorithmException {
        String id = query.name() + " " + begun.incrementAndGet();
        context.setLocalProperty("spark.scheduler.pool", query.name());
        context.setLocalProperty(TaskTotals.RUN, id);
        long start = System.nanoTime();
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        Dataset<Row> answer = session.sql(query.sql());
        List<Row> rows = answer.collectAsList();
        double seconds = secondsSince(start);
        for (Row row : rows) {
            digest.update(row.mkString("|").getBytes(StandardCharsets.UTF_8));
            digest.update((byte) '\n');
        }
        if (planned.add(query)) {
            // Into the log of this JVM: readers are compared by what they do with the same plan.
            System.out.println(query + ": " + answer.queryExecution().executedPlan());
        }
        return new Run(
                id,
                seconds,
                rows.size() + ":" + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_LENGTH));
    }

    private static double secondsSince(long start) {
        return (double) (System.nanoTime() - start) / 1e9;
    }

    /** Runs that were begun, those that were not measured included. */
    int begun() {
        return begun.get();
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
