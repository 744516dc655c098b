// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.parquet;

import java.util.Map;
import java.util.Optional;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.schema.MessageType;

/**
 * What a scan wants of each file. Implemented by whoever drives the reader, with the reader's own rules, so that plan
 * and reader agree. Thread-safe.
 */
public interface ParquetNeeds {

    /**
     * The columns the reader will ask a file for, as a part of the file's schema.
     *
     * @param fileSchema schema in the file's footer
     */
    MessageType requested(MessageType fileSchema);

    /**
     * The predicate the reader will push into a file.
     *
     * @param fileSchema schema in the file's footer
     * @param keyValues key-value metadata in the file's footer
     */
    Optional<FilterPredicate> predicate(MessageType fileSchema, Map<String, String> keyValues);

    /** Which filters the reader applies. */
    FilterLevels levels();

    /**
     * Which filters the reader applies to row groups and pages.
     *
     * @param statistics of row groups in the footer
     * @param dictionary pages of filter columns
     * @param columnIndex page indexes
     * @param bloom filters
     */
    record FilterLevels(boolean statistics, boolean dictionary, boolean columnIndex, boolean bloom) {}
}
