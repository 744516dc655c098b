// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import io.asyncscan.reader.storage.FileRef;
import java.net.URI;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** The fields of the {@code _metadata} column: the same names, types and values as with Spark's own file sources. */
final class MetadataFields {
    static final String ROW_INDEX = "row_index";

    /** What all formats have. */
    static final StructType CONSTANT = new StructType()
            .add("file_path", DataTypes.StringType, false)
            .add("file_name", DataTypes.StringType, false)
            .add("file_size", DataTypes.LongType, false)
            .add("file_block_start", DataTypes.LongType, false)
            .add("file_block_length", DataTypes.LongType, false)
            .add("file_modification_time", DataTypes.TimestampType, false);

    /** What formats have whose rows are numbered. */
    static final StructType WITH_ROW_INDEX = CONSTANT.add(ROW_INDEX, DataTypes.LongType, false);

    private MetadataFields() {}

    /**
     * The value, in Spark's internal form, of a field that is the same for all rows of a part of a file.
     *
     * @param start first byte of that part
     * @param length bytes of it
     */
    static Object constant(String field, FileRef file, long start, long length) {
        URI uri = new Path(file.path()).toUri();
        return switch (field) {
            case "file_path" -> UTF8String.fromString(uri.toString());
            case "file_name" -> UTF8String.fromString(lastPart(uri.getRawPath()));
            case "file_size" -> file.length();
            case "file_block_start" -> start;
            case "file_block_length" -> length;
            case "file_modification_time" -> file.modificationTime() * 1000;
            default -> throw new IllegalArgumentException("no constant metadata field " + field);
        };
    }

    private static String lastPart(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
