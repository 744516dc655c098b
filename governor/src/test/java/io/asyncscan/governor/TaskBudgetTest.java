// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TaskBudgetTest {
    private final FakeMemory memory = new FakeMemory(1000);
    private final ExecutorBudget executor = new ExecutorBudget(0.5);
    private final TaskBudget budget = new TaskBudget(executor, memory, 400);

    @Test
    void grantsWhatIsFreeAndGivesItBack() {
        Lease lease = budget.tryReserve(300).orElseThrow();
        assertEquals(300, memory.used);
        assertEquals(300, executor.inUse());
        lease.close();
        lease.close();
        assertEquals(0, executor.inUse());
        assertEquals(300, memory.used, "only the task thread gives memory back, when it settles");
        assertEquals(300, budget.settle());
        assertEquals(0, memory.used);
        assertEquals(300, budget.peak());
    }

    @Test
    void refusesWhatIsAboveItsOwnBound() {
        assertTrue(budget.tryReserve(400).isPresent());
        assertFalse(budget.tryReserve(1).isPresent());
        assertEquals(400, executor.inUse());
    }

    @Test
    void refusesMoreThanTheExecutorsShare() {
        TaskBudget wide = new TaskBudget(executor, memory, Long.MAX_VALUE);
        assertTrue(wide.tryReserve(500).isPresent());
        // 500 held, 500 free: half of both is held already.
        assertFalse(wide.tryReserve(1).isPresent());
    }

    @Test
    void neverMakesOthersGiveMemoryBack() {
        memory.others = 900;
        assertFalse(budget.tryReserve(200).isPresent());
        assertEquals(0, memory.asked, "nothing was even asked for");
        assertEquals(0, executor.inUse());
    }

    @Test
    void partialGrantIsGivenBack() {
        memory.grantAtMost = 50;
        assertFalse(budget.tryReserve(200).isPresent());
        assertEquals(0, memory.used);
        assertEquals(0, executor.inUse());
    }

    @Test
    void headAlwaysProceeds() {
        memory.others = 950;
        Lease head = budget.reserveHead(5000);
        assertEquals(0, memory.asked, "what is decoded is nobody's business but ours, as with Spark's own reader");
        assertEquals(5000, executor.inUse());
        assertEquals(5000, budget.held());
        assertEquals(0, budget.ahead());
        head.close();
        budget.close();
        assertEquals(0, memory.used);
        assertEquals(0, executor.inUse());
    }

    @Test
    void lateLeaseStaysChargedToTheExecutor() {
        Lease late = budget.tryReserve(100).orElseThrow();
        budget.close();
        assertEquals(0, memory.used, "the task has nothing left");
        assertEquals(100, executor.inUse(), "the executor still has");
        late.close();
        assertEquals(0, executor.inUse());
        assertEquals(0, memory.used);
        assertFalse(budget.tryReserve(1).isPresent(), "nothing is acquired after the task ended");
    }

    @Test
    void whatIsClaimedGoesBackToTheTask() {
        Lease lease = budget.tryReserve(300).orElseThrow();
        lease.claim();
        assertEquals(300, memory.used, "until it is settled");
        assertEquals(300, budget.settle());
        assertEquals(0, memory.used);
        assertEquals(300, executor.inUse(), "and is accounted all the same");
        assertEquals(300, budget.held());
        lease.claim();
        lease.close();
        lease.claim();
        assertEquals(0, budget.ahead());
        assertEquals(0, budget.settle());
        assertEquals(0, executor.inUse());
    }

    @Test
    void aTaskWithoutOperatorsIsGrantedNothing() {
        memory.othersHold = false;
        Lease lease = budget.tryReserve(300).orElseThrow();
        assertEquals(0, memory.asked, "its task would be one of those that share");
        assertEquals(300, executor.inUse());
        // Of 1000 bytes half may be held, whether they are granted or not.
        assertEquals(500, executor.allowance(memory::free));
        assertFalse(new TaskBudget(executor, memory, 1000).tryReserve(201).isPresent());
        try (Lease rest = new TaskBudget(executor, memory, 1000).tryReserve(200).orElseThrow()) {
            assertEquals(500, executor.inUse());
            assertEquals(200, rest.bytes());
        }
        lease.close();
        assertEquals(0, executor.inUse());
    }

    @Test
    void aFullHeapBoundsWhatTheBooksSayIsFree() {
        AtomicLong room = new AtomicLong(400);
        ExecutorBudget account = new ExecutorBudget(0.5, room::get);
        TaskBudget task = new TaskBudget(account, memory, 1000);
        assertFalse(task.tryReserve(201).isPresent());
        Lease lease = task.tryReserve(200).orElseThrow();
        room.set(200);
        assertEquals(200, account.allowance(memory::free), "what is held is not in the room that is left");
        room.set(0);
        assertFalse(task.tryReserve(1).isPresent());
        try (Lease head = task.reserveHead(100)) {
            assertEquals(300, account.inUse(), "the head always proceeds with its " + head.bytes());
        }
        lease.close();
        room.set(Long.MAX_VALUE / 2);
        assertEquals(500, account.allowance(memory::free));
    }

    @Test
    void whatIsGrantedFollowsTheTasksOperators() {
        memory.othersHold = false;
        Lease first = budget.tryReserve(200).orElseThrow();
        budget.balance();
        assertEquals(0, memory.used);
        memory.othersHold = true;
        Lease second = budget.tryReserve(100).orElseThrow();
        assertEquals(100, memory.used);
        budget.balance();
        assertEquals(300, memory.used, "operators can have it back");
        assertEquals(500, executor.allowance(memory::free));
        first.claim();
        budget.balance();
        assertEquals(100, memory.used);
        memory.othersHold = false;
        budget.balance();
        assertEquals(0, memory.used);
        assertEquals(300, executor.inUse());
        first.close();
        second.close();
        memory.othersHold = true;
        budget.balance();
        assertEquals(0, memory.used);
    }

    @Test
    void whatCannotBeGrantedLaterStaysBeside() {
        memory.othersHold = false;
        Lease lease = budget.tryReserve(300).orElseThrow();
        memory.othersHold = true;
        memory.others = 900;
        budget.balance();
        assertEquals(100, memory.used, "what is free");
        assertEquals(200, budget.excess(), "nothing is");
        lease.close();
        assertEquals(0, budget.excess());
        budget.balance();
        assertEquals(0, memory.used);
    }

    @Test
    void shrinksByWhatIsNotFreeAnyMore() {
        memory.othersHold = false;
        TaskBudget other = new TaskBudget(executor, memory, 1000);
        Lease lease = budget.tryReserve(300).orElseThrow();
        Lease head = other.reserveHead(150);
        memory.others = 550;
        assertEquals(0, budget.excess(), "450 are held, and as many are free");
        memory.others = 600;
        assertEquals(50, budget.excess());
        assertEquals(0, other.excess(), "of what is decoded nothing can be dropped");
        memory.others = 1000;
        assertEquals(300, budget.excess(), "no more than is ahead");
        head.close();
        lease.close();
        assertEquals(0, budget.excess());
    }

    @Test
    void anyOrderOfReservingAndClosingBalances() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            FakeMemory pool = new FakeMemory(10_000);
            ExecutorBudget account = new ExecutorBudget(1.0);
            TaskBudget task = new TaskBudget(account, pool, 8_000);
            List<Lease> open = new ArrayList<>();
            Set<Lease> claimed = new HashSet<>();
            long sum = 0;
            long ahead = 0;
            for (int step = 0; step < 100; step++) {
                pool.others = random.nextInt(9_000);
                pool.othersHold = random.nextInt(4) > 0;
                int action = random.nextInt(6);
                if (action < 3) {
                    long bytes = random.nextInt(3_000);
                    boolean head = random.nextInt(4) == 0;
                    Optional<Lease> lease = head ? Optional.of(task.reserveHead(bytes)) : task.tryReserve(bytes);
                    if (lease.isPresent()) {
                        open.add(lease.get());
                        sum += bytes;
                        ahead += head ? 0 : bytes;
                        if (head) {
                            claimed.add(lease.get());
                        }
                    }
                } else if (action == 3) {
                    task.balance();
                    assertTrue(pool.othersHold || pool.used == 0, "seed " + seed);
                } else if (!open.isEmpty()) {
                    int index = random.nextInt(open.size());
                    Lease lease = open.get(index);
                    if (claimed.add(lease)) {
                        ahead -= lease.bytes();
                    }
                    if (action == 4) {
                        lease.claim();
                    } else {
                        open.remove(index);
                        sum -= lease.bytes();
                        lease.close();
                    }
                }
                assertEquals(sum, task.held(), "seed " + seed);
                assertEquals(ahead, task.ahead(), "seed " + seed);
                assertEquals(sum, account.inUse(), "seed " + seed);
                task.settle();
                assertTrue(pool.used <= ahead, "seed " + seed + ": granted what nobody holds");
                assertEquals(pool.free() + pool.used, account.allowance(pool::free), "seed " + seed);
            }
            open.forEach(Lease::close);
            task.close();
            assertEquals(0, pool.used, "seed " + seed);
            assertEquals(0, account.inUse(), "seed " + seed);
            assertEquals(pool.free(), account.allowance(pool::free), "seed " + seed);
        }
    }

    @Test
    void fractionIsChecked() {
        assertThrows(IllegalArgumentException.class, () -> new ExecutorBudget(0));
        assertThrows(IllegalArgumentException.class, () -> new ExecutorBudget(1.01));
        assertThrows(IllegalArgumentException.class, () -> new ExecutorBudget(Double.NaN));
    }

    private static final class FakeMemory implements TaskMemory {
        private final long size;
        private long used;
        private long others;
        private long asked;
        private long grantAtMost = Long.MAX_VALUE;
        private boolean othersHold = true;

        FakeMemory(long size) {
            this.size = size;
        }

        @Override
        public long free() {
            return Math.max(0, size - used - others);
        }

        @Override
        public boolean othersHold() {
            return othersHold;
        }

        @Override
        public long acquire(long bytes) {
            asked += bytes;
            long got = Math.min(Math.min(bytes, free()), grantAtMost);
            used += got;
            return got;
        }

        @Override
        public void release(long bytes) {
            used -= bytes;
            if (used < 0) {
                throw new IllegalStateException("released more than was acquired");
            }
        }
    }
}
