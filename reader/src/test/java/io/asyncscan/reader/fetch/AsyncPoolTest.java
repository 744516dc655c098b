// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsyncPoolTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void needsAThread() {
        assertThrows(IllegalArgumentException.class, () -> new AsyncPool(0, LONG));
    }

    @Test
    void everyTasksNextJobComesBeforeAnyDistantOne() {
        AsyncPool pool = new AsyncPool(1, Duration.ofMillis(1));
        Work blocker = new Work();
        Gate gate = new Gate(1);
        blocker.source.onRead(gate);
        AsyncPool.Lane first = pool.open();
        first.submit(blocker.admit(blocker.job(0)));
        gate.awaitReached();

        List<String> order = new CopyOnWriteArrayList<>();
        AsyncPool.Lane a = pool.open();
        AsyncPool.Lane b = pool.open();
        b.position(5);
        List<Fetch> fetches = new ArrayList<>();
        for (int i : new int[] {2, 0, 1}) {
            fetches.add(submit(a, "a", i, order));
        }
        for (int i : new int[] {6, 7, 5}) {
            fetches.add(submit(b, "b", i, order));
        }
        gate.open();
        awaitAll(fetches);
        assertEquals(List.of("a0", "b5", "a1", "b6", "a2", "b7"), order);
    }

    @Test
    void amongEqualsTheLaneServedLongestAgoComesFirst() {
        AsyncPool pool = new AsyncPool(1, Duration.ofMillis(1));
        Work blocker = new Work();
        Gate gate = new Gate(1);
        blocker.source.onRead(gate);
        pool.open().submit(blocker.admit(blocker.job(0)));
        gate.awaitReached();

        List<String> order = new CopyOnWriteArrayList<>();
        List<Fetch> fetches = new ArrayList<>();
        Work work = recorded("a", order);
        // Three requests of one job against one each of two other lanes: the three do not hog the thread.
        AsyncPool.Lane lane = pool.open();
        Fetch wide = work.admit(work.job(0, 0, 3, 10));
        lane.submit(wide);
        fetches.add(wide);
        fetches.add(submit(pool.open(), "b", 0, order));
        fetches.add(submit(pool.open(), "c", 0, order));
        gate.open();
        awaitAll(fetches);
        assertEquals(5, order.size());
        assertEquals(Set.of("a0", "b0", "c0"), Set.copyOf(order.subList(0, 3)), order.toString());
    }

    @Test
    void threadsStartOnDemandAreNamedDaemonsAndEndWhenIdle() throws InterruptedException {
        AsyncPool pool = new AsyncPool(4, Duration.ofMillis(20));
        assertEquals(4, pool.maxThreads());
        assertEquals(0, pool.threads());
        Work work = new Work();
        Gate gate = new Gate(2);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        work.source.onRead((read, scope) -> {
            seen.add(Thread.currentThread());
            gate.before(read, scope);
        });
        AsyncPool.Lane lane = pool.open();
        Fetch two = work.admit(work.job(0, 0, 2, 10));
        lane.submit(two);
        gate.awaitReached();
        assertEquals(2, pool.threads(), "two requests need two threads, not four");
        assertEquals(2, pool.busy());
        Fetch many = work.admit(work.job(1, 1000, 20, 10));
        lane.submit(many);
        Conditions.holds(() -> pool.busy() == 4, "each thread that gets a request calls the next one");
        assertEquals(4, pool.threads(), "never more than the maximum");
        gate.open();
        awaitAll(List.of(two, many));
        for (Thread thread : seen) {
            assertTrue(thread.isDaemon());
            assertTrue(thread.getName().matches("asyncscan-fetch-[1-4](-p\\d+)?"), thread.getName());
            thread.join(20_000);
            assertFalse(thread.isAlive(), "idle threads end");
        }
        Conditions.holds(() -> pool.threads() == 0, "a thread stayed");
        assertEquals(0, pool.busy());
        Fetch again = work.admit(work.job(2));
        lane.submit(again);
        awaitAll(List.of(again));
    }

    @Test
    void noWakeUpIsLost() {
        // Patience of a few microseconds: threads end while others submit.
        for (int threads = 1; threads <= 3; threads++) {
            AsyncPool pool = new AsyncPool(threads, Duration.ofNanos(20_000));
            Random random = new Random(threads);
            List<AsyncPool.Lane> lanes = List.of(pool.open(), pool.open(), pool.open());
            Work work = new Work();
            for (int round = 0; round < 4000; round++) {
                List<Fetch> fetches = new ArrayList<>();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    Fetch fetch = work.admit(work.job(round, 0, 1 + random.nextInt(3), 10));
                    lanes.get(random.nextInt(3)).submit(fetch);
                    fetches.add(fetch);
                }
                if (random.nextInt(4) == 0) {
                    LockSupport.parkNanos(random.nextInt(40_000));
                }
                awaitAll(fetches);
                fetches.forEach(Fetch::release);
            }
            work.budget.settle();
            assertEquals(0, work.executor.inUse());
            assertEquals(0, work.memory.used());
        }
    }

    @Test
    void manySubmittersAndCancellersAtOnce() throws InterruptedException {
        AsyncPool pool = new AsyncPool(2, Duration.ofMillis(1));
        List<Work> works = new CopyOnWriteArrayList<>();
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 6; t++) {
            int seed = t;
            Thread thread = new Thread(() -> {
                try {
                    Random random = new Random(seed);
                    Work work = new Work();
                    works.add(work);
                    for (int i = 0; i < 500; i++) {
                        try (AsyncPool.Lane lane = pool.open()) {
                            Fetch fetch = work.admit(work.job(i, 0, 4, 10));
                            lane.submit(fetch);
                            if (random.nextBoolean()) {
                                awaitAll(List.of(fetch));
                            }
                            fetch.release();
                            awaitAll(List.of(fetch));
                        }
                    }
                } catch (Throwable e) {
                    errors.add(e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), errors);
        for (Work work : works) {
            Conditions.holds(() -> work.executor.inUse() == 0, "a lease stayed open");
        }
    }

    @Test
    void whatIsCancelledOrOfAClosedLaneNeverRuns() {
        AsyncPool pool = new AsyncPool(1, LONG);
        Work blocker = new Work();
        Gate gate = new Gate(1);
        blocker.source.onRead(gate);
        Fetch blocking = blocker.admit(blocker.job(0));
        pool.open().submit(blocking);
        gate.awaitReached();

        Work work = new Work();
        AsyncPool.Lane lane = pool.open();
        Fetch cancelled = work.admit(work.job(0));
        lane.submit(cancelled);
        Fetch kept = work.admit(work.job(1));
        lane.submit(kept);
        AsyncPool.Lane closed = pool.open();
        Fetch lost = work.admit(work.job(2));
        closed.submit(lost);
        cancelled.release();
        closed.close();
        gate.open();
        awaitAll(List.of(blocking, cancelled, kept));
        assertEquals(1, work.source.reads().size(), "only the one that is wanted");
        assertEquals(100, work.source.reads().get(0).range().offset());
        assertFalse(lost.isDone());
    }

    @Test
    void anInterruptThatOneRequestLeavesBehindDoesNotReachTheNext() {
        AsyncPool pool = new AsyncPool(1, LONG);
        Work work = new Work();
        AtomicInteger runs = new AtomicInteger();
        AtomicBoolean seen = new AtomicBoolean();
        work.source.onRead((read, scope) -> {
            if (Thread.currentThread().isInterrupted()) {
                seen.set(true);
            }
            runs.incrementAndGet();
            Thread.currentThread().interrupt();
        });
        AsyncPool.Lane lane = pool.open();
        for (int i = 0; i < 20; i++) {
            Fetch fetch = work.admit(work.job(i));
            lane.submit(fetch);
            awaitAll(List.of(fetch));
        }
        assertEquals(20, runs.get());
        assertFalse(seen.get());
    }

    private static Work recorded(String name, List<String> order) {
        Work work = new Work();
        work.source.onRead(
                (read, scope) -> order.add(name + ((FetchTask) scope).job().ordinal()));
        return work;
    }

    private static Fetch submit(AsyncPool.Lane lane, String name, int ordinal, List<String> order) {
        Work work = recorded(name, order);
        Fetch fetch = work.admit(work.job(ordinal));
        lane.submit(fetch);
        return fetch;
    }

    private static void awaitAll(List<Fetch> fetches) {
        for (Fetch fetch : fetches) {
            try {
                if (!fetch.await(20_000)) {
                    throw new AssertionError("a request was never served");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
