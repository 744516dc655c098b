// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.parquet.ParquetNeeds.FilterLevels;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.parquet.schema.Type;

/** Parquet files for tests, and how to read them. */
final class Samples {
    /** Ascending, few values, many strings, doubles with NaN and -0.0, nested and repeated columns. */
    static final MessageType SCHEMA = MessageTypeParser.parseMessageType("""
            message sample {
              required int32 id;
              optional int64 few;
              optional binary text (STRING);
              optional double real;
              optional group nest { optional int32 x; optional binary y (STRING); }
              optional group list (LIST) { repeated group list { optional int32 element; } }
            }""");

    static final FilterLevels ALL = new FilterLevels(true, true, true, true);
    static final FilterLevels NONE = new FilterLevels(false, false, false, false);

    private Samples() {}

    /**
     * How a file is laid out.
     *
     * @param bloom columns with a bloom filter
     */
    record Shape(
            WriterVersion version,
            int rowsPerGroup,
            int rowsPerPage,
            boolean dictionary,
            List<String> bloom,
            CompressionCodecName codec) {
        static final Shape PLAIN =
                new Shape(WriterVersion.PARQUET_1_0, 100, 20, true, List.of(), CompressionCodecName.UNCOMPRESSED);

        static Shape random(Random random) {
            return new Shape(
                    random.nextBoolean() ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0,
                    50 + random.nextInt(300),
                    5 + random.nextInt(60),
                    random.nextInt(3) > 0,
                    random.nextBoolean() ? List.of("few", "text") : List.of(),
                    random.nextBoolean() ? CompressionCodecName.UNCOMPRESSED : CompressionCodecName.SNAPPY);
        }
    }

    static List<Group> rows(int count, Random random) {
        List<Group> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Group row = new SimpleGroup(SCHEMA);
            row.add("id", i * 2);
            if (random.nextInt(10) > 0) {
                row.add("few", (long) random.nextInt(8) * 10);
            }
            if (random.nextInt(10) > 0) {
                row.add("text", "text-" + random.nextInt(500));
            }
            switch (random.nextInt(12)) {
                case 0 -> row.add("real", Double.NaN);
                case 1 -> row.add("real", -0.0);
                case 2 -> {}
                default -> row.add("real", random.nextDouble() * i);
            }
            if (random.nextInt(5) > 0) {
                Group nest = row.addGroup("nest");
                if (random.nextBoolean()) {
                    nest.add("x", i / 50);
                }
                nest.add("y", "y" + random.nextInt(3));
            }
            if (random.nextInt(3) > 0) {
                Group list = row.addGroup("list");
                for (int n = random.nextInt(4); n > 0; n--) {
                    Group element = list.addGroup("list");
                    if (random.nextBoolean()) {
                        element.add("element", random.nextInt(100));
                    }
                }
            }
            rows.add(row);
        }
        return rows;
    }

    static byte[] file(List<Group> rows, Shape shape) throws IOException {
        BytesFile.Sink sink = new BytesFile.Sink();
        ExampleParquetWriter.Builder builder = ExampleParquetWriter.builder(sink)
                .withConf(new Configuration(false))
                .withType(SCHEMA)
                .withWriterVersion(shape.version())
                .withRowGroupRowCountLimit(shape.rowsPerGroup())
                .withPageRowCountLimit(shape.rowsPerPage())
                .withDictionaryEncoding(shape.dictionary())
                .withCompressionCodec(shape.codec());
        for (String column : shape.bloom()) {
            builder = builder.withBloomFilterEnabled(column, true).withBloomFilterNDV(column, 300);
        }
        try (ParquetWriter<Group> writer = builder.build()) {
            for (Group row : rows) {
                writer.write(row);
            }
        }
        return sink.bytes();
    }

    /** The schema with these top-level columns only. */
    static MessageType project(Set<String> columns) {
        List<Type> fields = SCHEMA.getFields().stream()
                .filter(field -> columns.contains(field.getName()))
                .toList();
        return new MessageType("sample", fields);
    }

    static ParquetNeeds needs(MessageType projection, FilterPredicate predicate, FilterLevels levels) {
        return new ParquetNeeds() {
            @Override
            public MessageType requested(MessageType fileSchema) {
                return new MessageType(
                        "sample",
                        projection.getFields().stream()
                                .filter(field -> fileSchema.containsField(field.getName()))
                                .toList());
            }

            @Override
            public Optional<FilterPredicate> predicate(MessageType fileSchema, Map<String, String> keyValues) {
                return Optional.ofNullable(predicate);
            }

            @Override
            public FilterLevels levels() {
                return levels;
            }
        };
    }

    static ParquetFooter footer(byte[] file) {
        FileRef ref = FileRef.listed("mem://parquet/file", file.length, 1);
        ParquetFooter.Parsed parsed = ParquetFooter.parse(new FileTail(ref, file));
        return ((ParquetFooter.Parsed.Complete) parsed).footer();
    }

    /** The rows of {@code [from, to)}, each with its place in the file, as parquet-java's own reader has them. */
    static List<String> read(InputFile file, long from, long to, ParquetNeeds needs, MessageType projection)
            throws IOException {
        return read(file, from, to, needs, projection, () -> {});
    }

    /** Something to do between two rows. */
    interface Between {
        void rows() throws IOException;
    }

    static List<String> read(
            InputFile file, long from, long to, ParquetNeeds needs, MessageType projection, Between between)
            throws IOException {
        FilterPredicate predicate = needs.predicate(SCHEMA, Map.of()).orElse(null);
        FilterLevels levels = needs.levels();
        Configuration conf = new Configuration(false);
        conf.set(ReadSupport.PARQUET_READ_SCHEMA, projection.toString());
        List<String> rows = new ArrayList<>();
        try (ParquetReader<Group> reader = new GroupReader(file)
                .withConf(conf)
                .withFilter(predicate == null ? FilterCompat.NOOP : FilterCompat.get(predicate))
                .useRecordFilter(predicate != null)
                .useStatsFilter(levels.statistics())
                .useDictionaryFilter(levels.dictionary())
                .useColumnIndexFilter(levels.columnIndex())
                .useBloomFilter(levels.bloom())
                .withFileRange(from, to)
                .build()) {
            for (Group row = reader.read(); row != null; row = reader.read()) {
                rows.add(reader.getCurrentRowIndex() + ": " + row);
                between.rows();
            }
        }
        return rows;
    }

    private static final class GroupReader extends ParquetReader.Builder<Group> {
        GroupReader(InputFile file) {
            super(file);
        }

        @Override
        protected ReadSupport<Group> getReadSupport() {
            return new GroupReadSupport();
        }
    }
}
