// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import io.asyncscan.reader.storage.ByteRange;
import io.asyncscan.reader.storage.FileRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;

/** One file, or a split of one, as planned: its row groups, and how runs are made of them. */
public final class FilePlan {
    private final FileRef file;
    private final long footerOffset;

    /** The footer without the columns that nobody asks for: thousands of files are planned at once. */
    private final FileMetaData footer;

    private final List<RowGroupPlan> groups;
    private final int[] survivors;
    private final Set<ColumnPath> columns;
    private final FilterPredicate predicate;
    private final List<IndexBytes> indexBytes;

    /** Bytes that page indexes are taken from. */
    record IndexBytes(long offset, byte[] bytes) {
        boolean contains(ByteRange range) {
            return range.offset() >= offset && range.end() <= offset + bytes.length;
        }

        byte[] copy(ByteRange range) {
            int from = Math.toIntExact(range.offset() - offset);
            return Arrays.copyOfRange(bytes, from, from + Math.toIntExact(range.length()));
        }
    }

    FilePlan(
            ParquetFooter footer,
            List<RowGroupPlan> groups,
            Set<ColumnPath> columns,
            FilterPredicate predicate,
            IndexBytes bytes) {
        this.file = footer.file();
        this.footerOffset = footer.offset();
        this.footer = TrimmedFooter.slim(footer.thrift(), columns);
        this.groups = groups;
        this.columns = columns;
        this.predicate = predicate;
        List<ByteRange> indexes = new ArrayList<>();
        for (RowGroupPlan group : groups) {
            indexes.addAll(group.indexes());
        }
        this.indexBytes = new ArrayList<>();
        for (ByteRange piece : join(indexes)) {
            this.indexBytes.add(new IndexBytes(piece.offset(), bytes.copy(piece)));
        }
        this.survivors = IntStream.range(0, groups.size())
                .filter(i -> groups.get(i).survives())
                .toArray();
    }

    /** Row groups to decode. */
    public int size() {
        return survivors.length;
    }

    /** Row groups of the split that were ruled out. */
    public int pruned() {
        return groups.size() - survivors.length;
    }

    /** Bytes of data to fetch for the {@code index}-th row group to decode. */
    public long bytes(int index) {
        return groups.get(survivors[index]).dataBytes();
    }

    /** Rows of the {@code index}-th row group to decode. */
    public long rows(int index) {
        return groups.get(survivors[index]).rows();
    }

    /**
     * The run of the row groups {@code from} to {@code to} (exclusive) of those to decode. Row groups between them that
     * were ruled out are shown to the reader as well, which rules them out again.
     *
     * @param requests turns wanted ranges into requests
     */
    public RunPlan run(int from, int to, UnaryOperator<List<ByteRange>> requests) throws IOException {
        return run(from, to, requests, false);
    }

    /** The run of all row groups to decode; the {@linkplain #empty() empty} one if there are none. */
    RunPlan run(UnaryOperator<List<ByteRange>> requests) throws IOException {
        return survivors.length == 0 ? empty() : run(0, survivors.length, requests);
    }

    /**
     * The run of all row groups to decode, with the whole file at hand: nothing is left to fetch. A look costs no request
     * then, so if the predicate can use dictionaries and bloom filters, the reader is shown all there are.
     */
    RunPlan runAtHand(byte[] wholeFile) throws IOException {
        if (survivors.length == 0) {
            return empty().withData(wholeFile);
        }
        boolean look = predicate != null && PredicateTraits.of(predicate).selective();
        return run(0, survivors.length, UnaryOperator.identity(), look).withData(wholeFile);
    }

    private RunPlan run(int from, int to, UnaryOperator<List<ByteRange>> requests, boolean look) throws IOException {
        List<TrimmedFooter.Shown> shown = new ArrayList<>();
        List<ByteRange> indexes = new ArrayList<>();
        List<ByteRange> metadata = new ArrayList<>();
        List<JobPlan> jobs = new ArrayList<>();
        RowGroupPlan first = groups.get(survivors[from]);
        for (RowGroupPlan group : groups.subList(survivors[from], survivors[to - 1] + 1)) {
            shown.add(look ? group.shown().withLooks() : group.shown());
            indexes.addAll(group.indexes());
            metadata.addAll(group.metadata());
            if (group.survives()) {
                jobs.add(new JobPlan(
                        requests.apply(group.data()), group.dataBytes(), group.rows(), group.start(), group.packed()));
            }
        }
        List<RunPlan.Piece> fixed = new ArrayList<>();
        for (ByteRange range : join(indexes)) {
            for (IndexBytes piece : indexBytes) {
                if (piece.contains(range)) {
                    fixed.add(new RunPlan.Piece(range.offset(), piece.copy(range)));
                }
            }
        }
        fixed.add(new RunPlan.Piece(footerOffset, TrimmedFooter.write(footer, shown, columns)));
        JobPlan before = null;
        if (!metadata.isEmpty()) {
            List<ByteRange> joined = join(metadata);
            before = new JobPlan(
                    requests.apply(joined),
                    joined.stream().mapToLong(ByteRange::length).sum(),
                    0,
                    0,
                    false);
        }
        // Together the runs of a file cover it from end to end, as Spark's splits do.
        long start = from == 0 ? 0 : first.start();
        long end = to == survivors.length
                ? file.length()
                : groups.get(survivors[to]).start();
        return new RunPlan(file, start, end - start, fixed, before, jobs, predicate);
    }

    /**
     * What a reader is shown when nothing has to be decoded: the file without row groups. It still checks the schema,
     * so that a file that does not fit fails as it would anyhow.
     */
    public RunPlan empty() throws IOException {
        List<RunPlan.Piece> fixed =
                List.of(new RunPlan.Piece(footerOffset, TrimmedFooter.write(footer, List.of(), columns)));
        return new RunPlan(file, 0, file.length(), fixed, null, List.of(), predicate);
    }

    /** Sorts ranges and joins those that touch or overlap. */
    static List<ByteRange> join(List<ByteRange> ranges) {
        List<ByteRange> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(ByteRange::offset));
        List<ByteRange> result = new ArrayList<>();
        for (ByteRange range : sorted) {
            ByteRange last = result.isEmpty() ? null : result.get(result.size() - 1);
            if (last != null && range.offset() <= last.end()) {
                result.set(result.size() - 1, ByteRange.between(last.offset(), Math.max(last.end(), range.end())));
            } else {
                result.add(range);
            }
        }
        return result;
    }
}
