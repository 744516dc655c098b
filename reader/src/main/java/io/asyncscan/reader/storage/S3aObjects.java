// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AFileSystem;

/** Asks S3A about objects and nothing else, where its public methods ask for directories as well. */
final class S3aObjects {
    private S3aObjects() {}

    /**
     * Whether there is an object of exactly this name: one HEAD.
     *
     * @throws LinkageError when the S3A on the class path is not one this class knows
     */
    static boolean exists(FileSystem fs, Path path) throws IOException {
        try {
            return ((S3AFileSystem) fs).getS3AInternals().getObjectMetadata(path) != null;
        } catch (FileNotFoundException e) {
            return false;
        }
    }
}
