// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import io.asyncscan.connector.options.ReadOptions.FileFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads options: a read option wins over a setting of the session, which wins over the SparkConf. Keys of read options
 * are compared without regard to case, as Spark does.
 */
public final class OptionsParser {
    private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*(b|k|kb|m|mb|g|gb)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|m|min)", Pattern.CASE_INSENSITIVE);

    /**
     * Threads of the ASYNC pool by default: per core, fewest, most. They are started as the network turns out to need them,
     * so this is a bound: at 100 ms to the first byte and 10 MB/s a connection, 28 requests of 1 MB fill 150 MB/s. The most
     * is half of S3A's connections.
     */
    private static final int THREADS_PER_CORE = 16;

    private static final int MIN_THREADS = 64;
    private static final int MAX_THREADS = 256;

    /** As RFC 3986 has it, in lower case. */
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]*");

    /** Object stores and HDFS: where a request takes long enough for reading ahead to pay. */
    private static final String DEFAULT_SCHEMES =
            "s3a,s3,s3n,abfs,abfss,wasb,wasbs,gs,oss,cosn,obs,hdfs,webhdfs,swebhdfs,viewfs";

    private final Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private OptionsParser() {}

    /**
     * The options of one read.
     *
     * @param readOptions what the read was given; keys that are not ours are somebody else's
     * @param settings the session's settings over the SparkConf's; those that start with {@link OptionKeys#PREFIX} have
     *     to be known
     */
    public static ReadOptions read(Map<String, String> readOptions, Map<String, String> settings) {
        OptionsParser parser = of(readOptions, settings);
        return new ReadOptions(
                parser.fileFormat(),
                parser.depth(),
                parser.bytes(OptionKeys.READ_AHEAD_MAX_BYTES, "256m", 0, Long.MAX_VALUE),
                (int) parser.bytes(OptionKeys.PART_SIZE, "8m", 4096, 1 << 30),
                parser.autoBytes(OptionKeys.MAX_COALESCE_GAP, 0, Integer.MAX_VALUE),
                parser.fraction(OptionKeys.MAX_OVER_READ, "0.2", 0, true, 1),
                parser.hedge(),
                parser.integer(OptionKeys.MAX_ATTEMPTS, "8", 1, 100),
                parser.duration(OptionKeys.RETRY_BASE_DELAY, "50ms", Duration.ofMillis(1), Duration.ofMinutes(1)),
                parser.duration(OptionKeys.PROGRESS_TIMEOUT, "30s", Duration.ofMillis(100), Duration.ofMinutes(60)),
                parser.integer(OptionKeys.FOOTER_PLANNING_MAX_FILES, "2000", 0, Integer.MAX_VALUE),
                parser.autoBytes(OptionKeys.MAX_PARTITION_BYTES, 1, Long.MAX_VALUE));
    }

    /**
     * What a read and its settings say, by the keys of read options: {@link #read} makes the same of these alone.
     *
     * @param readOptions what the read was given
     * @param settings the session's settings over the SparkConf's
     */
    public static Map<String, String> said(Map<String, String> readOptions, Map<String, String> settings) {
        Map<String, String> said = new TreeMap<>(of(readOptions, settings).values);
        said.keySet().retainAll(OptionKeys.READ_KEYS);
        return said;
    }

    private static OptionsParser of(Map<String, String> readOptions, Map<String, String> settings) {
        OptionsParser parser = new OptionsParser();
        parser.takeSettings(settings);
        Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        given.putAll(readOptions);
        for (String key : OptionKeys.READ_KEYS) {
            String value =
                    given.containsKey(OptionKeys.PREFIX + key) ? given.get(OptionKeys.PREFIX + key) : given.get(key);
            if (value != null) {
                parser.values.put(key, value);
            }
        }
        for (String key : OptionKeys.EXECUTOR_KEYS) {
            if (given.containsKey(key) || given.containsKey(OptionKeys.PREFIX + key)) {
                throw OptionException.executorOnly(key);
            }
        }
        for (String key : OptionKeys.SESSION_KEYS) {
            if (given.containsKey(OptionKeys.PREFIX + key)) {
                throw OptionException.sessionOnly(key);
            }
        }
        for (String key : given.keySet()) {
            if (key.regionMatches(true, 0, OptionKeys.PREFIX, 0, OptionKeys.PREFIX.length())
                    && OptionKeys.READ_KEYS.stream()
                            .noneMatch(known -> key.equalsIgnoreCase(OptionKeys.PREFIX + known))) {
                throw OptionException.unknownKey(key, known());
            }
        }
        return parser;
    }

    /**
     * The options of a read that does not name asyncscan and has been given options for somebody else: only keys that
     * start with {@link OptionKeys#PREFIX} are meant for us.
     *
     * @param readOptions what the read was given
     * @param settings the session's settings over the SparkConf's
     */
    public static ReadOptions swapped(Map<String, String> readOptions, Map<String, String> settings) {
        Map<String, String> ours = new TreeMap<>();
        readOptions.forEach((key, value) -> {
            if (key.regionMatches(true, 0, OptionKeys.PREFIX, 0, OptionKeys.PREFIX.length())) {
                ours.put(key, value);
            }
        });
        return read(ours, settings);
    }

    /**
     * The options of the session extension.
     *
     * @param settings the session's settings over the SparkConf's
     */
    public static ExtensionOptions extension(Map<String, String> settings) {
        OptionsParser parser = new OptionsParser();
        parser.takeSettings(settings);
        return new ExtensionOptions(parser.flag(OptionKeys.ENABLED, "true"), parser.schemes());
    }

    /**
     * The options of an executor.
     *
     * @param settings the SparkConf's
     * @param cores task slots of the executor
     */
    public static ExecutorOptions executor(Map<String, String> settings, int cores) {
        OptionsParser parser = new OptionsParser();
        parser.takeSettings(settings);
        String threads = Integer.toString(Math.min(MAX_THREADS, Math.max(MIN_THREADS, THREADS_PER_CORE * cores)));
        return new ExecutorOptions(
                parser.integer(OptionKeys.ASYNC_THREADS, threads, 1, 4096),
                parser.fraction(OptionKeys.MEMORY_FRACTION, "0.3", 0, false, 1));
    }

    private void takeSettings(Map<String, String> settings) {
        List<String> known = known();
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            String key = setting.getKey();
            if (key.startsWith(OptionKeys.PREFIX)) {
                if (!known.contains(key)) {
                    throw OptionException.unknownKey(key, known);
                }
                values.put(key.substring(OptionKeys.PREFIX.length()), setting.getValue());
            }
        }
    }

    /** All settings by their full names. */
    private static List<String> known() {
        List<String> known = new ArrayList<>();
        OptionKeys.READ_KEYS.forEach(key -> known.add(OptionKeys.PREFIX + key));
        OptionKeys.SESSION_KEYS.forEach(key -> known.add(OptionKeys.PREFIX + key));
        OptionKeys.EXECUTOR_KEYS.forEach(key -> known.add(OptionKeys.PREFIX + key));
        return known;
    }

    private String value(String key, String fallback) {
        return values.getOrDefault(key, fallback).trim();
    }

    private FileFormat fileFormat() {
        String value = value(OptionKeys.FILE_FORMAT, "");
        if (value.isEmpty()) {
            return FileFormat.AUTO;
        }
        return Arrays.stream(FileFormat.values())
                .filter(format -> format != FileFormat.AUTO && format.toString().equalsIgnoreCase(value))
                .findFirst()
                .orElseThrow(() -> OptionException.badValue(OptionKeys.FILE_FORMAT, value, FileFormat.allowed()));
    }

    private boolean flag(String key, String fallback) {
        String value = value(key, fallback);
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw OptionException.badValue(key, value, "true or false");
        };
    }

    /** The schemes of the session extension; empty for all. */
    private Set<String> schemes() {
        String value = value(OptionKeys.EXTENSION_SCHEMES, DEFAULT_SCHEMES);
        Set<String> schemes = new TreeSet<>();
        for (String part : value.split(",", -1)) {
            String scheme = part.trim().toLowerCase(Locale.ROOT);
            if (scheme.equals("*")) {
                return Set.of();
            }
            if (!SCHEME.matcher(scheme).matches()) {
                throw OptionException.badValue(
                        OptionKeys.EXTENSION_SCHEMES, value, "* or a list of schemes such as s3a,hdfs");
            }
            schemes.add(scheme);
        }
        return Set.copyOf(schemes);
    }

    private boolean hedge() {
        String value = value(OptionKeys.HEDGE, "auto");
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "auto" -> true;
            case "off" -> false;
            default -> throw OptionException.badValue(OptionKeys.HEDGE, value, "auto or off");
        };
    }

    private int depth() {
        return integer(OptionKeys.READ_AHEAD_DEPTH, "-1", -1, 100_000);
    }

    private int integer(String key, String fallback, int min, int max) {
        String value = value(key, fallback);
        try {
            int number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw OptionException.badValue(key, value, "a whole number from " + min + " to " + max);
        }
        throw OptionException.badValue(key, value, "a whole number from " + min + " to " + max);
    }

    private double fraction(String key, String fallback, double min, boolean minAllowed, double max) {
        String value = value(key, fallback);
        String allowed = "a number " + (minAllowed ? "from " : "above ") + min + " to " + max;
        try {
            double number = Double.parseDouble(value);
            if ((minAllowed ? number >= min : number > min) && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw OptionException.badValue(key, value, allowed);
        }
        throw OptionException.badValue(key, value, allowed);
    }

    private long autoBytes(String key, long min, long max) {
        return value(key, "auto").equalsIgnoreCase("auto") ? -1 : bytes(key, "auto", min, max);
    }

    private long bytes(String key, String fallback, long min, long max) {
        String value = value(key, fallback);
        Matcher matcher = SIZE.matcher(value);
        if (matcher.matches()) {
            String unit = matcher.group(2) == null ? "b" : matcher.group(2).toLowerCase(Locale.ROOT);
            int shift = switch (unit.charAt(0)) {
                case 'k' -> 10;
                case 'm' -> 20;
                case 'g' -> 30;
                default -> 0;
            };
            try {
                long number = Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (ArithmeticException | NumberFormatException e) {
                throw OptionException.badValue(key, value, "a size up to " + max + " bytes");
            }
        }
        throw OptionException.badValue(
                key, value, "a size such as 8m, from " + min + " to " + max + " bytes (units k, m, g)");
    }

    private Duration duration(String key, String fallback, Duration min, Duration max) {
        String value = value(key, fallback);
        Matcher matcher = DURATION.matcher(value);
        if (matcher.matches() && matcher.group(1).length() < 12) {
            long number = Long.parseLong(matcher.group(1));
            Duration duration = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                default -> Duration.ofMinutes(number);
            };
            if (duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0) {
                return duration;
            }
        }
        throw OptionException.badValue(
                key, value, "a duration such as 50ms or 30s, from " + min.toMillis() + " to " + max.toMillis() + " ms");
    }
}
