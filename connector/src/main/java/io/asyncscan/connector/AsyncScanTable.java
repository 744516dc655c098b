// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector;

import io.asyncscan.connector.bridge.AbstractAsyncScanBuilder;
import io.asyncscan.connector.bridge.FileRelation;
import io.asyncscan.connector.bridge.Locations;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The files of one read as a table. Lives on the driver. Files are listed on first use, so that a write, which only asks
 * what the table can do, is refused without looking at its path.
 */
final class AsyncScanTable implements SupportsRead, SupportsMetadataColumns {
    private final TableSpec spec;
    private FileRelation relation;

    AsyncScanTable(TableSpec spec) {
        this.spec = spec;
    }

    private synchronized FileRelation relation() {
        if (relation == null) {
            relation = spec.resolve();
        }
        return relation;
    }

    @Override
    public String name() {
        return "asyncscan " + Locations.describe(spec.paths());
    }

    @Override
    @Deprecated // by Spark, in favour of columns(), whose conversion differs between versions
    public StructType schema() {
        return relation().schema();
    }

    @Override
    public Set<TableCapability> capabilities() {
        return Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public MetadataColumn[] metadataColumns() {
        return new MetadataColumn[] {new FileMetadataColumn(relation().format().metadataType())};
    }

    @Override
    public boolean canRenameConflictingMetadataColumns() {
        // A data column of that name keeps it, as with Spark's own file sources.
        return true;
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new AsyncScanBuilder(relation(), spec.readOptions());
    }

    private record FileMetadataColumn(StructType type) implements MetadataColumn {
        @Override
        public String name() {
            return AbstractAsyncScanBuilder.METADATA;
        }

        @Override
        public DataType dataType() {
            return type;
        }

        @Override
        public boolean isNullable() {
            return false;
        }

        @Override
        public String comment() {
            return "path, name, size, modification time and block of the file a row comes from";
        }
    }
}
