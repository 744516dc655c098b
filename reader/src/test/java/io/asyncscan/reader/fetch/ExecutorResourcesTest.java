// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExecutorResourcesTest {
    @Test
    void everybodySharesOnePoolAndOneAccount() {
        try (ExecutorResources.Handle a = ExecutorResources.acquire(3, 2, 0.5);
                ExecutorResources.Handle b = ExecutorResources.acquire(7, 2, 0.9)) {
            assertSame(a.pool(), b.pool(), "whoever comes second gets what is there");
            assertSame(a.budget(), b.budget());
            assertEquals(3, b.pool().maxThreads());
        }
    }

    @Test
    void theNextUserMayBringOtherSettings() {
        AsyncPool first;
        try (ExecutorResources.Handle handle = ExecutorResources.acquire(3, 2, 0.5)) {
            first = handle.pool();
        }
        try (ExecutorResources.Handle same = ExecutorResources.acquire(3, 2, 0.5)) {
            assertSame(first, same.pool(), "the same settings: the threads may still be warm");
        }
        try (ExecutorResources.Handle other = ExecutorResources.acquire(4, 2, 0.5)) {
            assertNotSame(first, other.pool());
            assertEquals(4, other.pool().maxThreads());
        }
    }

    @Test
    void closingTwiceTakesNobodyElsesShare() {
        ExecutorResources.Handle a = ExecutorResources.acquire(3, 2, 0.5);
        ExecutorResources.Handle b = ExecutorResources.acquire(3, 2, 0.5);
        a.close();
        a.close();
        try (ExecutorResources.Handle c = ExecutorResources.acquire(9, 2, 0.1)) {
            assertSame(b.pool(), c.pool(), "b still holds it");
        }
        b.close();
    }

    @Test
    void theStateAddsUpOpenScansAndThoseThatHaveEnded() {
        ExecutorState.Totals before = ExecutorResources.state().totals();
        ExecutorResources.Handle a = ExecutorResources.acquire(3, 2, 0.5);
        ExecutorResources.Handle b = ExecutorResources.acquire(3, 2, 0.5);
        a.counters().requests.add(5);
        b.counters().bytesFetched.add(70);
        assertEquals(2, ExecutorResources.state().scans());
        assertEquals(3, ExecutorResources.state().requestLimit(), "of three threads");
        a.close();
        a.close();
        b.counters().requests.add(2);
        ExecutorState now = ExecutorResources.state();
        assertEquals(1, now.scans());
        assertEquals(7, now.totals().requests() - before.requests());
        assertEquals(70, now.totals().bytesFetched() - before.bytesFetched());
        b.close();
        assertEquals(0, ExecutorResources.state().scans());
        assertEquals(7, ExecutorResources.state().totals().requests() - before.requests());
    }

    @Test
    void oneReaderEndsWhileAnotherIsHalfWay() throws IOException {
        Work work = new Work();
        ExecutorResources.Handle a = ExecutorResources.acquire(1, 2, 0.5);
        ExecutorResources.Handle b = ExecutorResources.acquire(1, 2, 0.5);
        Gate gate = new Gate(1);
        work.source.onRead(gate);
        try (AsyncPool.Lane lane = b.pool().open()) {
            Fetch first = work.admit(work.job(0));
            lane.submit(first);
            gate.awaitReached();
            a.close();
            gate.open();
            Fetch second = work.admit(work.job(1));
            lane.submit(second);
            Conditions.holds(() -> first.isDone() && second.isDone(), "the pool ended with the first reader");
            first.check();
            second.check();
        }
        b.close();
    }

    @Test
    void aHundredScansLeaveOnePool() throws Exception {
        Set<AsyncPool> pools = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            try (ExecutorResources.Handle handle = ExecutorResources.acquire(2, 2, 0.25);
                    AsyncPool.Lane lane = handle.pool().open()) {
                pools.add(handle.pool());
                Work work = new Work();
                Fetch fetch = work.admit(work.job(0, 0, 5, 10));
                lane.submit(fetch);
                Conditions.holds(fetch::isDone, "scan " + i + " was not served");
            }
            AsyncPool pool = pools.iterator().next();
            assertTrue(pool.threads() <= 2, pool.threads() + " threads after scan " + i);
        }
        assertEquals(1, pools.size());
    }

    @Test
    void acquiringAtOnceMakesOneHolder() throws InterruptedException {
        Set<AsyncPool> pools = java.util.concurrent.ConcurrentHashMap.newKeySet();
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(8);
        CountDownLatch end = new CountDownLatch(1);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                Gate.await(go, "no start");
                try (ExecutorResources.Handle handle = ExecutorResources.acquire(5, 2, 0.25)) {
                    pools.add(handle.pool());
                    held.countDown();
                    Gate.await(end, "no end");
                }
            });
            threads[i].start();
        }
        go.countDown();
        Gate.await(held, "somebody got none");
        assertEquals(1, pools.size());
        end.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
