// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import io.asyncscan.reader.scan.FileSplit;
import io.asyncscan.reader.storage.FileRef;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.sources.Filter;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * The reader function of a file scan of Spark's, with asyncscan in between: fetches ahead what the split needs and
 * decodes with Spark's reader.
 *
 * <p>Internals: {@link PartitionedFile}, the argument Spark calls it with.
 */
final class AsyncReadFunction extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>>
        implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ReadTask task;

    private AsyncReadFunction(ReadTask task) {
        this.task = task;
    }

    /** The function for a scan of files of {@code format}; the parameters are those Spark gives a file format. */
    static AsyncReadFunction of(
            SourceFormat format,
            SparkSession session,
            ReadTask.Schemas schemas,
            Seq<Filter> filters,
            Map<String, String> options,
            Configuration hadoopConf) {
        format.check(session, options);
        ReadOptions readOptions = OptionsParser.read(CollectionConverters.asJava(options), SessionSettings.of(session));
        return new AsyncReadFunction(
                format.readTask(session, schemas, filters, options, hadoopConf, Set.of(), readOptions));
    }

    @Override
    @SuppressWarnings("unchecked") // batches travel as rows: Spark's readers do the same
    public Iterator<InternalRow> apply(PartitionedFile file) {
        FileRef ref = FileRef.listed(file.toPath().toString(), file.fileSize(), file.modificationTime());
        FileSplit split = new FileSplit(ref, file.start(), file.start() + file.length());
        ReadUnit unit = new ReadUnit(split, file.urlEncodedPath(), file.partitionValues());
        ScanReader reader = new ScanReader(task, List.of(unit), ScanReader.ErrorPolicy.RAW);
        return (Iterator<InternalRow>) (Iterator<?>) new Values(reader);
    }

    /** The reader as an iterator that Spark closes. Elements are rows or batches. */
    private static final class Values extends AbstractIterator<Object> implements Closeable {
        private final ScanReader reader;
        private boolean fetched;
        private boolean ended;

        Values(ScanReader reader) {
            this.reader = reader;
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
        public Object next() {
            if (!hasNext()) {
                throw new NoSuchElementException("no further row");
            }
            fetched = false;
            return reader.get();
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
