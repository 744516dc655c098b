// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A source over byte arrays whose attempts fail as told. Versions are the arrays' hash codes. */
final class FlakySource implements ByteSource {

    /**
     * One failing attempt.
     *
     * @param after bytes that are delivered before the fault
     */
    record Fault(int after, IOException error) {}

    /** One attempt as it was asked for. */
    record Attempt(long offset, int at, int length) {}

    final List<Attempt> attempts = new ArrayList<>();
    private final Map<String, byte[]> files = new HashMap<>();
    private final Deque<Fault> faults = new ArrayDeque<>();
    private Fault standing;

    FileRef put(String path, byte[] content) {
        files.put(path, content.clone());
        return new FileRef(path, content.length, 0, version(content));
    }

    void remove(String path) {
        files.remove(path);
    }

    void next(int after, IOException error) {
        faults.add(new Fault(after, error));
    }

    void always(int after, IOException error) {
        standing = new Fault(after, error);
    }

    @Override
    public void read(FileRef file, long offset, byte[] target, int at, int length, ReadScope scope) throws IOException {
        ReadRange range = new ReadRange(file, offset, length);
        range.checkTarget(target, at);
        byte[] content = open(file, scope);
        attempts.add(new Attempt(offset, at, length));
        Fault fault = faults.isEmpty() ? standing : faults.remove();
        int count = fault == null ? length : Math.min(length, fault.after());
        System.arraycopy(content, (int) offset, target, at, count);
        // In two steps, as a stream would.
        for (int part : new int[] {count / 2, count - count / 2}) {
            if (part > 0) {
                scope.received(part);
            }
        }
        if (fault != null) {
            throw fault.error();
        }
    }

    @Override
    public FileTail readTail(FileRef file, int length, ReadScope scope) throws IOException {
        ReadRange range = ReadRange.tail(file, length);
        byte[] target = new byte[length];
        read(file, range.offset(), target, 0, length, scope);
        return new FileTail(file.pinnedTo(version(files.get(file.path()))), target);
    }

    private byte[] open(FileRef file, ReadScope scope) throws IOException {
        if (scope.cancelled()) {
            throw new ReadCancelledException("cancelled: " + file.path());
        }
        scope.requestSent();
        byte[] content = files.get(file.path());
        if (content == null) {
            throw new FileNotFoundException(file.path());
        }
        String found = version(content);
        if (content.length != file.length()
                || (file.etag() != null && !file.etag().equals(found))) {
            throw new FileChangedException(file.path() + " changed: expected " + file.etag() + ", found " + found);
        }
        return content;
    }

    private static String version(byte[] content) {
        return '"' + Integer.toHexString(Arrays.hashCode(content)) + '"';
    }
}
