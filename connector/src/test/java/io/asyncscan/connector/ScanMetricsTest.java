// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.fetch.ScanCounters;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.junit.jupiter.api.Test;

class ScanMetricsTest {
    @Test
    void sparkCanMakeEveryMetricByItsClassName() throws ReflectiveOperationException {
        for (CustomMetric metric : ScanMetrics.all()) {
            Class<?> type = Class.forName(metric.getClass().getName());
            assertTrue(Modifier.isPublic(type.getModifiers()), type + " is not public");
            CustomMetric made = (CustomMetric) type.getConstructor().newInstance();
            assertEquals(metric.name(), made.name());
            assertTrue(!made.description().isBlank());
        }
    }

    @Test
    void namesAreUniqueAndEveryTaskValueHasItsMetric() {
        Set<String> names = new HashSet<>();
        Set<String> descriptions = new HashSet<>();
        for (CustomMetric metric : ScanMetrics.all()) {
            assertTrue(names.add(metric.name()), metric.name());
            assertTrue(descriptions.add(metric.description()), metric.description());
        }
        Set<String> reported = new HashSet<>();
        for (CustomTaskMetric value : ScanMetrics.ofTask(new ScanCounters())) {
            assertTrue(reported.add(value.name()), value.name());
            assertEquals(0, value.value());
        }
        PartitionPlanner.Plan plan = new PartitionPlanner.Plan(List.of(), OptionalLong.empty(), 3, 4, 5, 6);
        for (CustomTaskMetric value : ScanMetrics.ofPlanning(plan)) {
            reported.add(value.name());
        }
        assertEquals(names, reported);
    }

    @Test
    void valuesAreThoseThatWereCounted() {
        ScanCounters counters = new ScanCounters();
        counters.requests.add(5);
        counters.stallNanos.add(3_000_000);
        counters.peakBytes.accumulate(77);
        counters.depthReached.accumulate(9);
        counters.bytesGranted.add(70);
        counters.denials.add(2);
        counters.jobsDropped.add(4);
        CustomTaskMetric[] values = ScanMetrics.ofTask(counters);
        assertEquals(5, value(values, "requests"));
        assertEquals(3, value(values, "stallTime"));
        assertEquals(77, value(values, "peakBytes"));
        assertEquals(9, value(values, "depthReached"));
        assertEquals(70, value(values, "bytesGranted"));
        assertEquals(2, value(values, "denials"));
        assertEquals(4, value(values, "jobsDropped"));
    }

    private static long value(CustomTaskMetric[] values, String name) {
        return Arrays.stream(values)
                .filter(value -> value.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    @Test
    void tasksAddUpOrTheLargestCounts() {
        assertEquals("6", new ScanMetrics.Requests().aggregateTaskMetrics(new long[] {1, 2, 3}));
        assertEquals("0", new ScanMetrics.Requests().aggregateTaskMetrics(new long[0]));
        assertEquals("3.0 MiB", new ScanMetrics.BytesFetched().aggregateTaskMetrics(new long[] {1 << 20, 2 << 20}));
        assertEquals("2.0 MiB", new ScanMetrics.PeakBytes().aggregateTaskMetrics(new long[] {1 << 20, 2 << 20}));
        assertEquals("7", new ScanMetrics.DepthReached().aggregateTaskMetrics(new long[] {7, 2}));
        assertEquals("15 ms", new ScanMetrics.StallTime().aggregateTaskMetrics(new long[] {5, 10}));
        assertEquals("12.0 s", new ScanMetrics.DecodeTime().aggregateTaskMetrics(new long[] {12_000}));
        assertSame(
                String.class,
                new ScanMetrics.PlanningTime()
                        .aggregateTaskMetrics(new long[] {1})
                        .getClass());
    }
}
