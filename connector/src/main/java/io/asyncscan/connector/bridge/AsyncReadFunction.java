// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.connector.options.OptionsParser;
import io.asyncscan.connector.options.ReadOptions;
import java.io.IOException;
import java.io.Serializable;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.sources.Filter;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/**
 * The reader function of a file scan of Spark's, with asyncscan in between: fetches ahead, decodes with Spark's reader.
 * Below an {@link AsyncReadExec} it reads ahead across all files of the partition, else within the file it is called for.
 *
 * <p>Internals: {@link PartitionedFile}, the argument Spark calls it with.
 */
final class AsyncReadFunction extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>>
        implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ReadTask task;

    AsyncReadFunction(ReadTask task) {
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
        try {
            Iterator<Object> values = file instanceof PlannedFile planned
                    ? planned.scan().read(task, planned)
                    : PartitionScan.alone(task, file, TaskContext.get());
            return (Iterator<InternalRow>) (Iterator<?>) values;
        } catch (IOException e) {
            // Spark's scan looks at the class: what is skipped as missing or corrupt depends on it.
            ReadErrors.<RuntimeException>sneak(e);
            throw new IllegalStateException("not reached", e);
        }
    }
}
