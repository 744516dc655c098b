// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.connector.options.ExtensionOptions;
import io.asyncscan.connector.options.OptionsParser;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class ScanChoiceTest {
    private static final ExtensionOptions DEFAULTS = OptionsParser.extension(Map.of());

    private static Optional<String> refusal(Configuration conf, String... roots) {
        return ScanChoice.refusal(
                CollectionConverters.asScala(Arrays.stream(roots).map(Path::new).toList())
                        .toSeq(),
                conf,
                DEFAULTS);
    }

    @Test
    void goesByTheSchemesOfThePaths() {
        Configuration conf = new Configuration(false);
        assertEquals(Optional.empty(), refusal(conf, "s3a://b/t"));
        assertEquals(Optional.empty(), refusal(conf, "file:/t", "hdfs://n/t"), "one is enough");
        assertTrue(refusal(conf, "file:/t").orElseThrow().contains("[file]"));
        assertTrue(refusal(conf).isPresent(), "nothing to read");
    }

    @Test
    void aPathWithoutSchemeIsTheDefaultFileSystems() {
        Configuration conf = new Configuration(false);
        assertTrue(refusal(conf, "/t").isPresent());
        conf.set("fs.defaultFS", "hdfs://n");
        assertEquals(Optional.empty(), refusal(conf, "/t"));
    }

    @Test
    void leavesDecryptionToSpark() {
        Configuration conf = new Configuration(false);
        conf.set("parquet.crypto.factory.class", "a.Factory");
        assertTrue(refusal(conf, "s3a://b/t").orElseThrow().contains("encrypted"));
    }

    @Test
    void knowsSparksOwnFormatsAndNoSubclasses() {
        assertTrue(SwappedFormats.isKnown(new ParquetFileFormat()));
        assertTrue(!SwappedFormats.isKnown(new ParquetFileFormat() {
            private static final long serialVersionUID = 1L;
        }));
    }

    @Test
    void whatStandsInForAFormatIsEqualToIt() {
        FileFormat spark = new ParquetFileFormat();
        FileFormat swapped = SwappedFormats.of(spark, OptionsParser.swapped(Map.of(), Map.of()));
        assertEquals(spark, swapped);
        assertEquals(swapped, spark);
        assertEquals(swapped, SwappedFormats.of(spark, OptionsParser.swapped(Map.of(), Map.of())));
        assertEquals(spark.hashCode(), swapped.hashCode());
        assertEquals(spark.toString(), swapped.toString());
        assertNotEquals(swapped, new CSVFileFormat());
    }
}
