// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.connector.options.ReadOptions.FileFormat;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OptionsParserTest {
    private static final ReadOptions DEFAULTS = new ReadOptions(
            FileFormat.AUTO,
            -1,
            256L << 20,
            8 << 20,
            -1,
            0.2,
            true,
            8,
            Duration.ofMillis(50),
            Duration.ofSeconds(30),
            2000,
            -1);

    private static ReadOptions read(Map<String, String> options) {
        return OptionsParser.read(options, Map.of());
    }

    private static String refused(Map<String, String> options, Map<String, String> settings) {
        return assertThrows(OptionException.class, () -> OptionsParser.read(options, settings))
                .getMessage();
    }

    @Test
    void theKeysAreThese() {
        assertEquals(
                List.of(
                        "fileFormat",
                        "footerPlanningMaxFiles",
                        "hedge",
                        "maxAttempts",
                        "maxCoalesceGap",
                        "maxOverRead",
                        "maxPartitionBytes",
                        "partSize",
                        "progressTimeout",
                        "readAheadDepth",
                        "readAheadMaxBytes",
                        "retryBaseDelay"),
                List.copyOf(new TreeSet<>(OptionKeys.READ_KEYS)));
        assertEquals(List.of("enabled", "extensionSchemes"), OptionKeys.SESSION_KEYS);
        assertEquals(List.of("asyncThreads", "memoryFraction"), OptionKeys.EXECUTOR_KEYS);
        assertEquals("spark.asyncscan.", OptionKeys.PREFIX);
    }

    @Test
    void theDefaultsAreThese() {
        assertEquals(DEFAULTS, read(Map.of()));
        assertEquals(OptionalLong.empty(), DEFAULTS.fixedCoalesceGap());
        assertEquals(OptionalLong.empty(), DEFAULTS.fixedPartitionBytes());
        assertEquals(new ExecutorOptions(128, 0.3), OptionsParser.executor(Map.of(), 8));
        assertEquals(256, OptionsParser.executor(Map.of(), 1000).asyncThreads());
        assertEquals(256, OptionsParser.executor(Map.of(), 16).asyncThreads());
        assertEquals(64, OptionsParser.executor(Map.of(), 0).asyncThreads());
    }

    @Test
    void everyOptionCanBeSet() {
        Map<String, String> options = Map.ofEntries(
                Map.entry("fileFormat", "Parquet"),
                Map.entry("readAheadDepth", "3"),
                Map.entry("readAheadMaxBytes", "1g"),
                Map.entry("partSize", "64KB"),
                Map.entry("maxCoalesceGap", "0"),
                Map.entry("maxOverRead", "0.5"),
                Map.entry("hedge", "OFF"),
                Map.entry("maxAttempts", " 2 "),
                Map.entry("retryBaseDelay", "1 s"),
                Map.entry("progressTimeout", "2min"),
                Map.entry("footerPlanningMaxFiles", "0"),
                Map.entry("maxPartitionBytes", "134217728"));
        ReadOptions expected = new ReadOptions(
                FileFormat.PARQUET,
                3,
                1L << 30,
                64 << 10,
                0,
                0.5,
                false,
                2,
                Duration.ofSeconds(1),
                Duration.ofMinutes(2),
                0,
                128L << 20);
        assertEquals(expected, read(options));
        Map<String, String> settings = new HashMap<>();
        options.forEach((key, value) -> settings.put("spark.asyncscan." + key, value));
        assertEquals(expected, OptionsParser.read(Map.of(), settings));
        assertEquals(expected, read(settings), "a read option may have the prefix, too");
        assertEquals(
                new ExecutorOptions(7, 1),
                OptionsParser.executor(
                        Map.of("spark.asyncscan.asyncThreads", "7", "spark.asyncscan.memoryFraction", "1"), 8));
    }

    @Test
    void aReadOptionWinsOverASetting() {
        Map<String, String> settings = Map.of("spark.asyncscan.readAheadDepth", "5", "spark.asyncscan.partSize", "1m");
        ReadOptions options = OptionsParser.read(Map.of("readaheaddepth", "2", "header", "true"), settings);
        assertEquals(2, options.readAheadDepth(), "letter case does not matter in read options");
        assertEquals(1 << 20, options.partSize());
    }

    @Test
    void whatIsOutOfRangeIsNamedWithWhatIsAllowed() {
        Map<String, List<String>> bad = Map.ofEntries(
                Map.entry("fileFormat", List.of("orc", "auto")),
                Map.entry("readAheadDepth", List.of("-2", "x", "", "1.5", "100001")),
                Map.entry("readAheadMaxBytes", List.of("-1", "1t", "lots", "99999999999g", "99999999999999999999")),
                Map.entry("partSize", List.of("0", "4095", "2g")),
                Map.entry("maxCoalesceGap", List.of("-1", "3g")),
                Map.entry("maxOverRead", List.of("-0.1", "1.01", "NaN", "x")),
                Map.entry("hedge", List.of("on", "true", "")),
                Map.entry("maxAttempts", List.of("0", "101")),
                Map.entry("retryBaseDelay", List.of("0ms", "2min", "50", "-1s", "999999999999999s")),
                Map.entry("progressTimeout", List.of("99ms", "61min")),
                Map.entry("footerPlanningMaxFiles", List.of("-1", "2147483648")),
                Map.entry("maxPartitionBytes", List.of("-1", "0")));
        bad.forEach((key, values) -> {
            for (String value : values) {
                String message = refused(Map.of(key, value), Map.of());
                assertTrue(message.contains(key), message);
                assertTrue(message.contains("'" + value + "'"), message);
                assertTrue(message.contains("allowed is"), message);
                assertEquals(message, refused(Map.of(), Map.of("spark.asyncscan." + key, value)));
            }
        });
        for (String value : List.of("0", "1.1", "NaN", "-1")) {
            assertThrows(
                    OptionException.class,
                    () -> OptionsParser.executor(Map.of("spark.asyncscan.memoryFraction", value), 1));
        }
        for (String value : List.of("0", "4097", "x")) {
            assertThrows(
                    OptionException.class,
                    () -> OptionsParser.executor(Map.of("spark.asyncscan.asyncThreads", value), 1));
        }
    }

    @Test
    void anUnknownKeyIsAnErrorThatNamesTheNearest() {
        String message = refused(Map.of(), Map.of("spark.asyncscan.readAheadDeph", "3"));
        assertTrue(message.contains("'spark.asyncscan.readAheadDeph'"), message);
        assertTrue(message.contains("'spark.asyncscan.readAheadDepth'"), message);
        assertTrue(refused(Map.of("spark.asyncscan.partSiez", "1m"), Map.of()).contains("'spark.asyncscan.partSize'"));
        assertThrows(OptionException.class, () -> OptionsParser.executor(Map.of("spark.asyncscan.threads", "3"), 1));
        assertEquals(DEFAULTS, OptionsParser.read(Map.of("depth", "3", "path", "p"), Map.of("spark.app.name", "x")));
    }

    @Test
    void whatHoldsForAnExecutorIsNoReadOption() {
        for (String key : List.of("asyncThreads", "MEMORYFRACTION", "spark.asyncscan.asyncThreads")) {
            String message = refused(Map.of(key, "1"), Map.of());
            assertTrue(message.contains("SparkConf"), message);
        }
        assertEquals(DEFAULTS, OptionsParser.read(Map.of(), Map.of("spark.asyncscan.asyncThreads", "9")));
    }

    @Test
    void theExtensionTakesObjectStoresAndHdfsUnlessToldOtherwise() {
        ExtensionOptions defaults = OptionsParser.extension(Map.of());
        assertTrue(defaults.enabled());
        for (String scheme : List.of("s3a", "S3", "s3n", "abfs", "abfss", "gs", "oss", "hdfs", "viewfs")) {
            assertTrue(defaults.takes(scheme), scheme);
        }
        assertFalse(defaults.takes("file"));
        ExtensionOptions few = OptionsParser.extension(
                Map.of("spark.asyncscan.extensionSchemes", "GS, my+fs.2", "spark.asyncscan.enabled", " FALSE "));
        assertFalse(few.enabled());
        assertTrue(few.takes("gs") && few.takes("My+FS.2"));
        assertFalse(few.takes("s3a"));
        assertTrue(OptionsParser.extension(Map.of("spark.asyncscan.extensionSchemes", "hdfs,*"))
                .takes("file"));
    }

    @Test
    void theExtensionsSettingsAreChecked() {
        for (String value : List.of("", "s3a:", "s3a,,gs", "s3a gs", "3fs", "*s")) {
            String message = assertThrows(
                            OptionException.class,
                            () -> OptionsParser.extension(Map.of("spark.asyncscan.extensionSchemes", value)))
                    .getMessage();
            assertTrue(message.contains("extensionSchemes is '" + value + "', allowed is"), message);
        }
        assertThrows(OptionException.class, () -> OptionsParser.extension(Map.of("spark.asyncscan.enabled", "yes")));
        assertThrows(OptionException.class, () -> OptionsParser.extension(Map.of("spark.asyncscan.enable", "true")));
    }

    @Test
    void theExtensionsSettingsAreNoReadOptions() {
        for (String key : List.of("enabled", "extensionSchemes")) {
            String message = refused(Map.of("spark.asyncscan." + key, "x"), Map.of());
            assertTrue(message.contains("spark.asyncscan." + key + " in the session"), message);
            assertEquals(DEFAULTS, read(Map.of(key, "somebody else's")));
        }
        assertEquals(DEFAULTS, OptionsParser.read(Map.of(), Map.of("spark.asyncscan.enabled", "false")));
    }

    @Test
    void aReadThatDoesNotNameUsHasOptionsOfItsOwn() {
        Map<String, String> options =
                Map.of("fileFormat", "orc", "partSize", "none", "spark.asyncscan.readAheadDepth", "3");
        ReadOptions read = OptionsParser.swapped(options, Map.of("spark.asyncscan.partSize", "1m"));
        assertEquals(FileFormat.AUTO, read.fileFormat());
        assertEquals(3, read.readAheadDepth());
        assertEquals(1 << 20, read.partSize());
    }

    @Test
    void whatWasSaidCanBeReadAgainElsewhere() {
        Map<String, String> options = Map.of("PARTSIZE", "1m", "header", "true", "spark.asyncscan.maxAttempts", "3");
        Map<String, String> settings = Map.of(
                "spark.asyncscan.partSize", "2m",
                "spark.asyncscan.readAheadDepth", "4",
                "spark.asyncscan.enabled", "false",
                "spark.app.name", "x");
        Map<String, String> said = OptionsParser.said(options, settings);
        assertEquals(Map.of("partSize", "1m", "readAheadDepth", "4", "maxAttempts", "3"), said);
        assertEquals(OptionsParser.read(options, settings), OptionsParser.read(said, Map.of()));
    }
}
