// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.asyncscan.reader.parquet.ParquetFooter.Parsed;
import io.asyncscan.reader.parquet.Samples.Shape;
import io.asyncscan.reader.parquet.TrimmedFooter.Shown;
import io.asyncscan.reader.storage.FileRef;
import io.asyncscan.reader.storage.FileTail;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.schema.MessageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TrimmedFooterTest {
    private static final ColumnPath FEW = ColumnPath.fromDotString("few");
    private static final MessageType FEWS = Samples.project(Set.of("few", "nest"));

    private final byte[] file;
    private final ParquetFooter footer;

    TrimmedFooterTest() throws IOException {
        Shape shape = new Shape(Shape.PLAIN.version(), 100, 20, true, List.of("few"), Shape.PLAIN.codec());
        file = Samples.file(Samples.rows(650, new Random(1)), shape);
        footer = Samples.footer(file);
    }

    private static Shown all(int ordinal) {
        return new Shown(ordinal, true, true, true);
    }

    private FileMetaData parse(byte[] trimmed) {
        FileRef ref = FileRef.listed("mem://f", footer.offset() + trimmed.length, 1);
        return ((Parsed.Complete) ParquetFooter.parse(new FileTail(ref, trimmed)))
                .footer()
                .thrift();
    }

    @Test
    void everyRunOfRowGroupsHasItsRowsAtTheirPlaces() throws IOException {
        ParquetNeeds needs = Samples.needs(FEWS, null, Samples.ALL);
        List<String> rows = Samples.read(new BytesFile(file), 0, file.length, needs, FEWS);
        assertEquals(650, rows.size());
        for (int from = 0; from < 7; from++) {
            for (int to = from + 1; to <= 7; to++) {
                byte[] trimmed = TrimmedFooter.write(
                        footer.thrift(),
                        IntStream.range(from, to)
                                .mapToObj(TrimmedFooterTest::all)
                                .toList(),
                        columns("few", "nest.x", "nest.y"));
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                out.write(file, 0, Math.toIntExact(footer.offset()));
                out.write(trimmed);
                byte[] shown = out.toByteArray();
                assertEquals(
                        rows.subList(from * 100, Math.min(650, to * 100)),
                        Samples.read(new BytesFile(shown), 0, shown.length, needs, FEWS),
                        from + " to " + to);
            }
        }
    }

    private static Set<ColumnPath> columns(String... names) {
        Set<ColumnPath> columns = new HashSet<>();
        for (String name : names) {
            columns.add(ColumnPath.fromDotString(name));
        }
        return columns;
    }

    @Test
    void whatIsNotOfARowGroupStaysAsItIs() throws IOException {
        FileMetaData trimmed = parse(TrimmedFooter.write(footer.thrift(), List.of(all(3)), Set.of(FEW)));
        FileMetaData original = footer.thrift();
        assertEquals(original.getSchema(), trimmed.getSchema());
        assertEquals(original.getKey_value_metadata(), trimmed.getKey_value_metadata());
        assertEquals(original.getCreated_by(), trimmed.getCreated_by());
        assertEquals(original.getColumn_orders(), trimmed.getColumn_orders());
        assertEquals(original.getNum_rows(), trimmed.getNum_rows());
        assertEquals(original.getVersion(), trimmed.getVersion());
    }

    @Test
    void keepsTheFirstColumnTheWantedOnesAndTheSize() throws IOException {
        FileMetaData trimmed = parse(TrimmedFooter.write(footer.thrift(), List.of(all(0), all(1)), Set.of(FEW)));
        assertEquals(2, trimmed.getRow_groupsSize(), "nothing comes before the first row group");
        for (int i = 0; i < 2; i++) {
            RowGroup group = trimmed.getRow_groups().get(i);
            RowGroup original = footer.thrift().getRow_groups().get(i);
            List<String> kept = new ArrayList<>();
            group.getColumns()
                    .forEach(chunk -> kept.add(TrimmedFooter.path(chunk).toDotString()));
            assertEquals(List.of("id", "few"), kept);
            assertEquals(original.getTotal_compressed_size(), group.getTotal_compressed_size());
            assertEquals(original.getColumns().get(1), group.getColumns().get(1));
        }
    }

    @Test
    void oneFillerStandsForTheRowsBefore() throws IOException {
        FileMetaData trimmed = parse(TrimmedFooter.write(footer.thrift(), List.of(all(5), all(6)), Set.of(FEW)));
        assertEquals(3, trimmed.getRow_groupsSize());
        RowGroup filler = trimmed.getRow_groups().get(0);
        assertEquals(500, filler.getNum_rows());
        assertEquals(0, filler.getTotal_compressed_size());
        assertTrue(filler.getColumns().get(0).getMeta_data().getData_page_offset() > Long.MAX_VALUE / 8);
    }

    @Test
    void hidesWhatCannotPrune() throws IOException {
        Shown bare = new Shown(2, false, false, false);
        FileMetaData trimmed = parse(TrimmedFooter.write(footer.thrift(), List.of(bare), Set.of(FEW)));
        var few = trimmed.getRow_groups().get(1).getColumns().get(1);
        assertFalse(few.isSetColumn_index_offset() || few.isSetColumn_index_length());
        assertFalse(few.isSetOffset_index_offset() || few.isSetOffset_index_length());
        assertFalse(few.getMeta_data().isSetBloom_filter_offset());
        assertFalse(few.getMeta_data().isSetEncoding_stats());
        assertTrue(few.getMeta_data().isSetDictionary_page_offset(), "decoding needs it");
        assertTrue(few.getMeta_data().isSetStatistics());
        var original = footer.thrift().getRow_groups().get(2).getColumns().get(1);
        assertTrue(original.isSetColumn_index_offset(), "the original is not changed");
        assertTrue(original.getMeta_data().isSetEncoding_stats());
    }

    @Test
    void runsHaveNoHoles() {
        assertThrows(
                IllegalArgumentException.class,
                () -> TrimmedFooter.write(footer.thrift(), List.of(all(1), all(3)), Set.of(FEW)));
    }

    @Test
    void aFileWithoutRowGroupsIsStillAFile() throws IOException {
        FileMetaData trimmed = parse(TrimmedFooter.write(footer.thrift(), List.of(), Set.of(FEW)));
        assertEquals(0, trimmed.getRow_groupsSize());
        assertEquals(footer.thrift().getSchema(), trimmed.getSchema());
    }
}
