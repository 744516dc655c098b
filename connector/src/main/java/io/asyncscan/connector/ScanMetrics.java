// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.MetricSource;
import io.asyncscan.reader.fetch.ScanCounters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/**
 * The metrics of a scan in the SQL UI. Spark makes metrics by reflection from their class names, so each is a public
 * class of its own.
 */
public final class ScanMetrics {
    private static final double MIB = 1 << 20;

    private ScanMetrics() {}

    static CustomMetric[] all() {
        return new CustomMetric[] {
            new Requests(),
            new BytesFetched(),
            new BytesOverRead(),
            new BytesNeverDecoded(),
            new StallTime(),
            new DecodeTime(),
            new PeakBytes(),
            new DepthReached(),
            new BytesGranted(),
            new Denials(),
            new JobsDropped(),
            new Retries(),
            new Throttles(),
            new HedgesWon(),
            new Misses(),
            new RowGroupsPruned(),
            new PlanningTime()
        };
    }

    /** What a task counted. */
    static CustomTaskMetric[] ofTask(ScanCounters counters) {
        List<CustomTaskMetric> values = new ArrayList<>();
        values.add(new Value("requests", counters.requests.sum()));
        values.add(new Value("bytesFetched", counters.bytesFetched.sum()));
        values.add(new Value("bytesOverRead", counters.bytesOverRead.sum()));
        values.add(new Value("bytesNeverDecoded", counters.bytesNeverDecoded.sum()));
        values.add(new Value("stallTime", counters.stallNanos.sum() / 1_000_000));
        values.add(new Value("decodeTime", counters.decodeNanos.sum() / 1_000_000));
        values.add(new Value("peakBytes", counters.peakBytes.get()));
        values.add(new Value("depthReached", counters.depthReached.get()));
        values.add(new Value("bytesGranted", counters.bytesGranted.sum()));
        values.add(new Value("denials", counters.denials.sum()));
        values.add(new Value("jobsDropped", counters.jobsDropped.sum()));
        values.add(new Value("retries", counters.retries.sum()));
        values.add(new Value("throttles", counters.throttles.sum()));
        values.add(new Value("hedgesWon", counters.hedgesWon.sum()));
        values.add(new Value("misses", counters.misses.sum()));
        values.add(new Value("rowGroupsPruned", counters.rowGroupsPruned.sum()));
        return values.toArray(new CustomTaskMetric[0]);
    }

    /** What planning on the driver counted. */
    static CustomTaskMetric[] ofPlanning(PartitionPlanner.Plan plan) {
        return new CustomTaskMetric[] {
            new Value("rowGroupsPruned", plan.rowGroupsPruned()), new Value("planningTime", plan.planningMillis()),
            new Value("requests", plan.requests()), new Value("bytesFetched", plan.bytesFetched())
        };
    }

    /** The values of a task that has read partitions before: sums add up, largest values stay. */
    static CustomTaskMetric[] together(CustomTaskMetric[] before, CustomTaskMetric[] now) {
        if (before.length == 0) {
            return now;
        }
        Map<String, Long> earlier = new HashMap<>();
        for (CustomTaskMetric metric : before) {
            earlier.put(metric.name(), metric.value());
        }
        CustomTaskMetric[] result = new CustomTaskMetric[now.length];
        for (int i = 0; i < now.length; i++) {
            String name = now[i].name();
            long other = earlier.getOrDefault(name, 0L);
            result[i] = new Value(name, isLargest(name) ? Math.max(other, now[i].value()) : other + now[i].value());
        }
        return result;
    }

    /** Whether the largest value counts, not the sum. */
    private static boolean isLargest(String name) {
        return name.equals("peakBytes") || name.equals("depthReached");
    }

    /** The metrics, for scans that are not of the connector's own classes. */
    static final class Source implements MetricSource {
        private static final long serialVersionUID = 1L;

        @Override
        public CustomMetric[] all() {
            return ScanMetrics.all();
        }

        @Override
        public CustomTaskMetric[] ofTask(ScanCounters counters) {
            return ScanMetrics.ofTask(counters);
        }

        @Override
        public CustomTaskMetric[] together(CustomTaskMetric[] before, CustomTaskMetric[] now) {
            return ScanMetrics.together(before, now);
        }

        @Override
        public boolean isLargest(String name) {
            return ScanMetrics.isLargest(name);
        }
    }

    private record Value(String name, long value) implements CustomTaskMetric {}

    /** A metric whose tasks' values are added up. */
    public abstract static class Sum implements CustomMetric {
        private final String name;
        private final String description;

        Sum(String name, String description) {
            this.name = name;
            this.description = description;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String description() {
            return description;
        }

        @Override
        public String aggregateTaskMetrics(long[] taskMetrics) {
            long sum = 0;
            for (long value : taskMetrics) {
                sum += value;
            }
            return format(sum);
        }

        String format(long value) {
            return Long.toString(value);
        }
    }

    /** A sum of bytes. */
    public abstract static class Bytes extends Sum {
        Bytes(String name, String description) {
            super(name, description);
        }

        @Override
        String format(long value) {
            return String.format(Locale.ROOT, "%.1f MiB", value / MIB);
        }
    }

    /** A sum of milliseconds. */
    public abstract static class Millis extends Sum {
        Millis(String name, String description) {
            super(name, description);
        }

        @Override
        String format(long value) {
            return value < 10_000 ? value + " ms" : String.format(Locale.ROOT, "%.1f s", value / 1000.0);
        }
    }

    /** The largest of the tasks' values. */
    public abstract static class Largest extends Bytes {
        Largest(String name, String description) {
            super(name, description);
        }

        @Override
        public String aggregateTaskMetrics(long[] taskMetrics) {
            long largest = 0;
            for (long value : taskMetrics) {
                largest = Math.max(largest, value);
            }
            return format(largest);
        }
    }

    /** Requests sent to the store, by tasks and for footers on the driver. */
    public static final class Requests extends Sum {
        /** Made by Spark, by reflection. */
        public Requests() {
            super("requests", "requests");
        }
    }

    /** Bytes received from the store, by tasks and for footers on the driver. */
    public static final class BytesFetched extends Bytes {
        /** Made by Spark, by reflection. */
        public BytesFetched() {
            super("bytesFetched", "bytes fetched");
        }
    }

    /** Bytes of gaps that were fetched with the ranges around them. */
    public static final class BytesOverRead extends Bytes {
        /** Made by Spark, by reflection. */
        public BytesOverRead() {
            super("bytesOverRead", "bytes over-read");
        }
    }

    /** Bytes of jobs that were read ahead in vain. */
    public static final class BytesNeverDecoded extends Bytes {
        /** Made by Spark, by reflection. */
        public BytesNeverDecoded() {
            super("bytesNeverDecoded", "bytes fetched and never decoded");
        }
    }

    /** Time task threads waited for bytes. */
    public static final class StallTime extends Millis {
        /** Made by Spark, by reflection. */
        public StallTime() {
            super("stallTime", "stall time");
        }
    }

    /** Time task threads spent in the decoder. */
    public static final class DecodeTime extends Millis {
        /** Made by Spark, by reflection. */
        public DecodeTime() {
            super("decodeTime", "decode time");
        }
    }

    /** Most bytes a task held at once. */
    public static final class PeakBytes extends Largest {
        /** Made by Spark, by reflection. */
        public PeakBytes() {
            super("peakBytes", "read-ahead peak bytes");
        }
    }

    /** Most jobs a task was ahead. */
    public static final class DepthReached extends Largest {
        /** Made by Spark, by reflection. */
        public DepthReached() {
            super("depthReached", "depth reached");
        }

        @Override
        String format(long value) {
            return Long.toString(value);
        }
    }

    /** Bytes granted for jobs read ahead. */
    public static final class BytesGranted extends Bytes {
        /** Made by Spark, by reflection. */
        public BytesGranted() {
            super("bytesGranted", "read-ahead bytes granted");
        }
    }

    /** Times read-ahead stopped for want of memory. */
    public static final class Denials extends Sum {
        /** Made by Spark, by reflection. */
        public Denials() {
            super("denials", "read-ahead denied for memory");
        }
    }

    /** Jobs given back to operators that needed the memory. */
    public static final class JobsDropped extends Sum {
        /** Made by Spark, by reflection. */
        public JobsDropped() {
            super("jobsDropped", "jobs dropped under pressure");
        }
    }

    /** Attempts that followed a failed one. */
    public static final class Retries extends Sum {
        /** Made by Spark, by reflection. */
        public Retries() {
            super("retries", "retries");
        }
    }

    /** Attempts that the store answered with a request to slow down. */
    public static final class Throttles extends Sum {
        /** Made by Spark, by reflection. */
        public Throttles() {
            super("throttles", "throttles");
        }
    }

    /** Second requests that brought their bytes before the first ones. */
    public static final class HedgesWon extends Sum {
        /** Made by Spark, by reflection. */
        public HedgesWon() {
            super("hedgesWon", "hedged requests won");
        }
    }

    /** Reads of bytes that were not planned. */
    public static final class Misses extends Sum {
        /** Made by Spark, by reflection. */
        public Misses() {
            super("misses", "misses");
        }
    }

    /** Row groups that filters ruled out before their data was read. */
    public static final class RowGroupsPruned extends Sum {
        /** Made by Spark, by reflection. */
        public RowGroupsPruned() {
            super("rowGroupsPruned", "row groups pruned");
        }
    }

    /** Time the driver took to read footers and plan. */
    public static final class PlanningTime extends Millis {
        /** Made by Spark, by reflection. */
        public PlanningTime() {
            super("planningTime", "planning time");
        }
    }
}
