// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.DirectSqlSource;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * {@code spark.read.format("asyncscan")}: Spark's own sources, with the bytes fetched ahead of the decoder.
 *
 * <p>Spark makes one instance per read and calls it on the driver, from one thread.
 */
public final class AsyncScanSource extends DirectSqlSource implements TableProvider {
    private static final long serialVersionUID = 1L;

    /** The table of a read without a schema, resolved to infer one. */
    private transient AsyncScanTable inferred;

    /** Made by Spark, by reflection. */
    public AsyncScanSource() {}

    @Override
    public String shortName() {
        return "asyncscan";
    }

    @Override
    public boolean supportsExternalMetadata() {
        return true;
    }

    @Override
    @SuppressWarnings("deprecation") // columns() is made of it by every version of Spark
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        if (inferred == null) {
            inferred = new AsyncScanTable(new TableSpec(options.asCaseSensitiveMap(), null));
        }
        return inferred.schema();
    }

    @Override
    public Transform[] inferPartitioning(CaseInsensitiveStringMap options) {
        // Which columns come from directories is found out together with the schema.
        return new Transform[0];
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return inferred != null ? inferred : new AsyncScanTable(new TableSpec(properties, schema));
    }
}
