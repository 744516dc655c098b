// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.parquet.ParquetNeeds;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetInputFormat;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.catalyst.util.RebaseDateTime;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFilters;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions;
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.jdk.javaapi.FunctionConverters;

/**
 * What Spark's Parquet reader will ask each file for, by Spark's own rules.
 *
 * <p>Internals: {@link ParquetReadSupport} for the columns (nested pruning, letter case, field ids) and
 * {@link ParquetFilters} with {@link DataSourceUtils} for the predicate (types, calendars), because plan and reader have
 * to agree to the byte. The settings are taken on the driver when the reader is built, as Spark's reader does.
 */
final class SparkParquetNeeds implements ParquetNeeds {
    private final StructType required;
    private final Filter[] filters;
    private final Settings settings;
    private final Configuration conf;

    /**
     * Settings that travel to the executors.
     *
     * @param pushDown whether filters are pushed into files at all
     */
    record Settings(
            boolean pushDown,
            boolean dates,
            boolean timestamps,
            boolean decimals,
            boolean strings,
            int inThreshold,
            boolean caseSensitive,
            String datetimeRebaseMode)
            implements Serializable {
        private static final long serialVersionUID = 1L;

        static Settings of(SQLConf conf, scala.collection.immutable.Map<String, String> options) {
            return new Settings(
                    conf.parquetFilterPushDown(),
                    conf.parquetFilterPushDownDate(),
                    conf.parquetFilterPushDownTimestamp(),
                    conf.parquetFilterPushDownDecimal(),
                    conf.parquetFilterPushDownStringPredicate(),
                    conf.parquetFilterPushDownInFilterThreshold(),
                    conf.caseSensitiveAnalysis(),
                    new ParquetOptions(options, conf).datetimeRebaseModeInRead());
        }
    }

    /**
     * The needs of one scan.
     *
     * @param conf the configuration Spark's reader was built with
     */
    SparkParquetNeeds(StructType required, Filter[] filters, Settings settings, Configuration conf) {
        this.required = required;
        this.filters = filters;
        this.settings = settings;
        this.conf = conf;
    }

    @Override
    public MessageType requested(MessageType fileSchema) {
        return ParquetReadSupport.getRequestedSchema(fileSchema, required, conf, true);
    }

    @Override
    public Optional<FilterPredicate> predicate(MessageType fileSchema, Map<String, String> keyValues) {
        if (!settings.pushDown() || filters.length == 0) {
            return Optional.empty();
        }
        Function1<String, String> lookup = FunctionConverters.asScalaFromFunction(keyValues::get);
        RebaseDateTime.RebaseSpec rebase = DataSourceUtils.datetimeRebaseSpec(lookup, settings.datetimeRebaseMode());
        ParquetFilters converter = new ParquetFilters(
                fileSchema,
                settings.dates(),
                settings.timestamps(),
                settings.decimals(),
                settings.strings(),
                settings.inThreshold(),
                settings.caseSensitive(),
                rebase);
        FilterPredicate all = null;
        for (Filter filter : filters) {
            Option<FilterPredicate> converted = converter.createFilter(filter);
            if (converted.isDefined()) {
                all = all == null ? converted.get() : FilterApi.and(all, converted.get());
            }
        }
        return Optional.ofNullable(all);
    }

    @Override
    public FilterLevels levels() {
        return new FilterLevels(
                conf.getBoolean(ParquetInputFormat.STATS_FILTERING_ENABLED, true),
                conf.getBoolean(ParquetInputFormat.DICTIONARY_FILTERING_ENABLED, true),
                conf.getBoolean(ParquetInputFormat.COLUMN_INDEX_FILTERING_ENABLED, true),
                conf.getBoolean(ParquetInputFormat.BLOOM_FILTERING_ENABLED, true));
    }
}
