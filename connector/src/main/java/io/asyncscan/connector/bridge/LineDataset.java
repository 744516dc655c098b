// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.storage.FileRef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.PartitionedFileUtil;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The lines of files as a dataset, read ahead, in the partitions and the order in which Spark's text source would return
 * them: samples depend on both.
 *
 * <p>Internals: {@link FilePartition} and {@link PartitionedFileUtil}, which cut and pack files as Spark's scan does;
 * {@link TextFileFormat}, which reads lines; a dataset made of Spark's own rows, because text from elsewhere would have to be
 * valid UTF-8.
 */
final class LineDataset {
    private static final StructType VALUE = new StructType().add("value", "string");

    private LineDataset() {}

    /**
     * The lines of {@code files}, decoded.
     *
     * @param options of the read; those of Spark's text source among them hold
     * @param charset what the bytes of a line are
     */
    static Dataset<String> of(
            SparkSession session, Seq<FileStatus> files, Map<String, String> options, Charset charset) {
        String name = charset.name();
        JavaRDD<String> lines = rows(session, files, options)
                .map(row -> new String(row.getUTF8String(0).getBytes(), Charset.forName(name)));
        return session.createDataset(lines.rdd(), Encoders.STRING());
    }

    /** The lines of {@code files} as they are: strings of whatever bytes they have. */
    static Dataset<String> raw(SparkSession session, Seq<FileStatus> files, Map<String, String> options) {
        return ((org.apache.spark.sql.classic.SparkSession) session)
                .internalCreateDataFrame(rows(session, files, options).rdd(), VALUE, false)
                .as(Encoders.STRING());
    }

    /** A line is the only value of a row, which is overwritten by the next. */
    private static JavaRDD<InternalRow> rows(SparkSession session, Seq<FileStatus> files, Map<String, String> options) {
        List<FilePartition> partitions = partitions(session, files, options);
        Set<String> schemes = new LinkedHashSet<>();
        List<List<ReadUnit>> units = new ArrayList<>(partitions.size());
        for (FilePartition partition : partitions) {
            List<ReadUnit> ofPartition = new ArrayList<>();
            for (PartitionedFile file : partition.files()) {
                schemes.add(file.toPath().toUri().getScheme());
                ofPartition.add(unit(file));
            }
            units.add(ofPartition);
        }
        schemes.remove(null);
        ReadTask task = ReadTask.lines(
                session,
                new TextFileFormat(),
                new ReadTask.Schemas(VALUE, new StructType(), VALUE),
                CollectionConverters.asScala(List.<org.apache.spark.sql.sources.Filter>of())
                        .toSeq(),
                options,
                ((org.apache.spark.sql.classic.SparkSession) session)
                        .sessionState()
                        .newHadoopConfWithOptions(options),
                schemes,
                OptionsParser.read(CollectionConverters.asJava(options), SessionSettings.of(session)));
        return JavaSparkContext.fromSparkContext(session.sparkContext())
                .parallelize(units, Math.max(1, units.size()))
                .mapPartitions(ofTask -> ofTask.hasNext()
                        ? new Lines(new ScanReader(task, ofTask.next()))
                        : List.<InternalRow>of().iterator());
    }

    private static List<FilePartition> partitions(
            SparkSession session, Seq<FileStatus> files, Map<String, String> options) {
        TextFileFormat format = new TextFileFormat();
        List<FileStatusWithMetadata> listed = new ArrayList<>();
        for (FileStatus file : CollectionConverters.asJava(files)) {
            if (hasData(file)) {
                listed.add(new FileStatusWithMetadata(file, Map$.MODULE$.empty()));
            }
        }
        PartitionDirectory all = new PartitionDirectory(
                InternalRow.empty(), CollectionConverters.asScala(listed).toSeq());
        long maxBytes = FilePartition.maxSplitBytes(
                session, CollectionConverters.asScala(List.of(all)).toSeq());
        List<PartitionedFile> splits = new ArrayList<>();
        for (FileStatusWithMetadata file : listed) {
            Path path = file.getPath();
            boolean splitable = format.isSplitable(session, options, path);
            splits.addAll(CollectionConverters.asJava(
                    PartitionedFileUtil.splitFiles(file, path, splitable, maxBytes, InternalRow.empty())));
        }
        splits.sort(Comparator.comparingLong(PartitionedFile::length).reversed());
        return CollectionConverters.asJava(FilePartition.getFilePartitions(
                session, CollectionConverters.asScala(splits).toSeq(), maxBytes));
    }

    /**
     * Whether a scan of Spark's has {@code file} among what it reads: the rule of {@code PartitioningAwareFileIndex}, which
     * is private there. A file of no bytes is not opened at all: as a gzip file it is damaged.
     */
    private static boolean hasData(FileStatus file) {
        String name = file.getPath().getName();
        boolean metadata = name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
        return !metadata && file.getLen() > 0;
    }

    private static ReadUnit unit(PartitionedFile file) {
        FileRef ref = FileRef.listed(file.toPath().toString(), file.fileSize(), file.modificationTime());
        return new ReadUnit(
                new FileSplit(ref, file.start(), file.start() + file.length()),
                file.urlEncodedPath(),
                file.partitionValues());
    }

    /** The lines of one task. Closed when the task ends, however that comes about. */
    private static final class Lines implements Iterator<InternalRow> {
        private final ScanReader reader;
        private boolean fetched;
        private boolean ended;

        Lines(ScanReader reader) {
            this.reader = reader;
            TaskContext.get().addTaskCompletionListener(context -> {
                try {
                    reader.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        @Override
        public boolean hasNext() {
            if (!fetched && !ended) {
                try {
                    fetched = reader.next();
                    ended = !fetched;
                } catch (IOException e) {
                    ReadErrors.<RuntimeException>sneak(e);
                }
            }
            return fetched;
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException("no further line");
            }
            fetched = false;
            return (InternalRow) reader.get();
        }
    }
}
