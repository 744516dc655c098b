// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Requests without a body and their answers on one connection, one after another. For one thread. */
final class HttpExchange {
    /** Most bytes of a request's head; S3A's are around 1 KiB. */
    private static final int MAX_HEAD = 16 << 10;

    private static final byte[] END = {'\r', '\n', '\r', '\n'};

    private final SocketChannel connection;
    private final ByteBuffer buffer = ByteBuffer.allocate(MAX_HEAD);
    private final Map<String, String> headers = new HashMap<>();
    private String method = "";
    private String target = "";

    HttpExchange(SocketChannel connection) {
        this.connection = connection;
    }

    /** Waits for the next request. @return false if the client closed the connection instead */
    boolean readRequest() throws IOException {
        int end;
        while ((end = endOfHead()) < 0) {
            if (!buffer.hasRemaining()) {
                throw new ProtocolException("a request head of more than " + MAX_HEAD + " bytes");
            }
            if (connection.read(buffer) < 0) {
                return false;
            }
        }
        String[] lines = new String(buffer.array(), 0, end, StandardCharsets.ISO_8859_1).split("\r\n", -1);
        buffer.flip().position(end + END.length);
        buffer.compact();
        String[] first = lines[0].split(" ", -1);
        if (first.length != 3) {
            throw new ProtocolException("not a request: " + lines[0]);
        }
        method = first[0];
        target = first[1];
        headers.clear();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.put(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).trim());
        }
        return true;
    }

    private int endOfHead() {
        int last = buffer.position() - END.length;
        for (int at = 0; at <= last; at++) {
            int i = 0;
            while (i < END.length && buffer.get(at + i) == END[i]) {
                i++;
            }
            if (i == END.length) {
                return at;
            }
        }
        return -1;
    }

    String method() {
        return method;
    }

    /** Path and query, still encoded. */
    String target() {
        return target;
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** Sends status and headers; exactly {@code contentLength} bytes have to follow, none after a HEAD. */
    void sendHead(String status, long contentLength, Map<String, String> more) throws IOException {
        StringBuilder head = new StringBuilder(256);
        head.append("HTTP/1.1 ").append(status).append("\r\n");
        head.append("Content-Length: ").append(contentLength).append("\r\n");
        more.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append("\r\n");
        send(head.toString());
    }

    /** Sends text as an answer's body, or as a part of it. */
    void send(String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            connection.write(bytes);
        }
    }

    /** Sends a part of a file as an answer's body, or as a part of it. */
    void send(FileChannel file, long offset, int count) throws IOException {
        long sent = 0;
        while (sent < count) {
            long moved = file.transferTo(offset + sent, count - sent, connection);
            if (moved <= 0) {
                throw new EOFException("the file has become shorter");
            }
            sent += moved;
        }
    }
}
