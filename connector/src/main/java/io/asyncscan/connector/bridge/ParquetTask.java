// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.parquet.ParquetNeeds;
import io.asyncscan.reader.parquet.ParquetTaskScan;
import io.asyncscan.reader.scan.ScanServices;
import io.asyncscan.reader.scan.ScanUnit;
import io.asyncscan.reader.scan.TaskScan;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;

/**
 * Row groups of Parquet files.
 *
 * @param required data columns the reader decodes
 * @param filters that were pushed down
 */
record ParquetTask(StructType required, Filter[] filters, SparkParquetNeeds.Settings settings) implements TaskFormat {
    private static final long serialVersionUID = 1L;

    @Override
    public TaskScan open(List<ScanUnit> units, ScanServices services, Configuration conf) {
        return new ParquetTaskScan(units, services, needs(conf));
    }

    ParquetNeeds needs(Configuration conf) {
        return new SparkParquetNeeds(required, filters, settings, conf);
    }
}
