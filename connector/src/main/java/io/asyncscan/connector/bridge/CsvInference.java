// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.nio.charset.Charset;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.execution.datasources.csv.CSVUtils;
import org.apache.spark.sql.execution.datasources.csv.TextInputCSVDataSource;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * The schema of CSV files, found by Spark's own rules in lines that asyncscan reads ahead.
 *
 * <p>Internals: {@link TextInputCSVDataSource#inferFromDataset}, which makes a schema of lines; {@link CSVUtils} for the
 * first of them; {@link CSVOptions}, Spark's own reading of the options.
 */
final class CsvInference {
    private CsvInference() {}

    /** The options as Spark's CSV source reads them. */
    static CSVOptions parse(SparkSession session, Map<String, String> options) {
        SQLConf conf = ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .conf();
        return new CSVOptions(
                options, conf.csvColumnPruning(), conf.sessionLocalTimeZone(), conf.columnNameOfCorruptRecord());
    }

    /** The schema of {@code files}, which are read line by line. */
    static StructType infer(
            SparkSession session, Map<String, String> options, CSVOptions parsed, Seq<FileStatus> files) {
        Dataset<String> lines = LineDataset.of(session, files, options, Charset.forName(parsed.charset()));
        List<String> first = CSVUtils.filterCommentAndEmpty(lines, parsed).takeAsList(1);
        return TextInputCSVDataSource.inferFromDataset(
                session, lines, first.isEmpty() ? Option.empty() : Option.apply(first.get(0)), parsed);
    }
}
