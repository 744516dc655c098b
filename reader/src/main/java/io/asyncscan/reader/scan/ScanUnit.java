// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.scan;

import io.asyncscan.reader.storage.FileRef;
import java.io.Serializable;

/** What a task reads with one call of the reader. */
public interface ScanUnit extends Serializable {

    /** The file. */
    FileRef file();

    /** Bytes to be fetched, as far as they are known when partitions are made. */
    long bytes();
}
