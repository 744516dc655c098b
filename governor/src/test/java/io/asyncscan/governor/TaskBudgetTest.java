// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.governor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
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
        assertEquals(50, memory.used);
        assertEquals(5000, executor.inUse());
        assertEquals(4950, budget.overdraft());
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
    void anyOrderOfReservingAndClosingBalances() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            FakeMemory pool = new FakeMemory(10_000);
            ExecutorBudget account = new ExecutorBudget(1.0);
            TaskBudget task = new TaskBudget(account, pool, 8_000);
            List<Lease> open = new ArrayList<>();
            long sum = 0;
            for (int step = 0; step < 100; step++) {
                pool.others = random.nextInt(9_000);
                if (random.nextBoolean()) {
                    long bytes = random.nextInt(3_000);
                    Optional<Lease> lease =
                            random.nextInt(4) == 0 ? Optional.of(task.reserveHead(bytes)) : task.tryReserve(bytes);
                    if (lease.isPresent()) {
                        open.add(lease.get());
                        sum += bytes;
                    }
                } else if (!open.isEmpty()) {
                    Lease lease = open.remove(random.nextInt(open.size()));
                    sum -= lease.bytes();
                    lease.close();
                }
                assertEquals(sum, task.held(), "seed " + seed);
                assertEquals(sum, account.inUse(), "seed " + seed);
                assertTrue(pool.used <= sum + 24_000, "seed " + seed);
            }
            open.forEach(Lease::close);
            task.close();
            assertEquals(0, pool.used, "seed " + seed);
            assertEquals(0, account.inUse(), "seed " + seed);
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

        FakeMemory(long size) {
            this.size = size;
        }

        @Override
        public long free() {
            return Math.max(0, size - used - others);
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
