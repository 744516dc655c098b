// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A small S3 server on the loopback interface that serves objects of one bucket and misbehaves on command.
 *
 * <p>Objects are addressed path-style ({@code /bucket/key}). GET knows single ranges, suffix ranges and If-Match; HEAD
 * works; nothing is authenticated. Faults apply to GETs: the {@linkplain #next queued} ones in order, one each, then the
 * {@linkplain #always standing} one, if any.
 */
final class FaultServer implements AutoCloseable {
    static final String BUCKET = "bucket";
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** One object; the entity tag is the MD5 of the content, as S3 has it. */
    private record Stored(byte[] content, String etag, Instant modified) {}

    /** One request as it came in. Header names are in lower case. */
    record Request(String method, String key, Map<String, String> headers) {}

    private final ServerSocket listener;
    private final ConcurrentMap<String, Stored> objects = new ConcurrentHashMap<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final List<Request> log = new CopyOnWriteArrayList<>();
    private final Deque<Fault> queued = new ArrayDeque<>();
    private final AtomicLong bodyBytes = new AtomicLong();
    private final AtomicInteger serving = new AtomicInteger();
    private final Semaphore stalls = new Semaphore(0);
    private volatile Fault standing = new Fault.None();

    FaultServer() {
        try {
            listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon("fault-server-accept", this::accept);
    }

    String endpoint() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** Stores {@code content} and returns its entity tag, quotes included. */
    String put(String key, byte[] content) {
        return put(key, content, Instant.parse("2026-01-02T03:04:05Z"));
    }

    String put(String key, byte[] content, Instant modified) {
        String etag = '"' + md5(content) + '"';
        objects.put(key, new Stored(content.clone(), etag, modified));
        return etag;
    }

    void remove(String key) {
        objects.remove(key);
    }

    /** The next GETs meet these faults, one each. */
    void next(Fault... faults) {
        synchronized (queued) {
            queued.addAll(List.of(faults));
        }
    }

    /** Every GET beyond the queued ones meets this fault. */
    void always(Fault fault) {
        standing = fault;
    }

    /** Forgets all faults. */
    void heal() {
        synchronized (queued) {
            queued.clear();
        }
        standing = new Fault.None();
    }

    List<Request> requests() {
        return List.copyOf(log);
    }

    int gets() {
        return (int) log.stream().filter(r -> r.method().equals("GET")).count();
    }

    /** Body bytes written so far, whether or not a client took them. */
    long bodyBytes() {
        return bodyBytes.get();
    }

    /** Connections that clients hold open, idle ones too. */
    int openConnections() {
        return open.size();
    }

    /** Requests that are being answered now. */
    int serving() {
        return serving.get();
    }

    /** Waits until one more request stands still. */
    void awaitStall() throws InterruptedException {
        if (!stalls.tryAcquire(20, TimeUnit.SECONDS)) {
            throw new AssertionError("no request stalled within 20 s");
        }
    }

    /** Waits until no request is being answered, that is, until the client has hung up on stalled ones. */
    void awaitNothingServing() throws InterruptedException {
        Eventually.holds(() -> serving.get() == 0, "requests still being served: " + serving);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                open.add(socket);
                daemon("fault-server-connection", () -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
            for (Request request = parse(in); request != null; request = parse(in)) {
                serving.incrementAndGet();
                try {
                    log.add(request);
                    boolean keep = answer(request, socket, in, out);
                    out.flush();
                    if (!keep) {
                        return;
                    }
                } finally {
                    serving.decrementAndGet();
                }
            }
        } catch (IOException e) {
            // The client hung up: what tests of cancellation want to see.
        } finally {
            open.remove(socket);
        }
    }

    private static Request parse(InputStream in) throws IOException {
        String line = readLine(in);
        if (line == null || line.isEmpty()) {
            return null;
        }
        String[] parts = line.split(" ", 3);
        Map<String, String> headers = new TreeMap<>();
        for (String header = readLine(in); header != null && !header.isEmpty(); header = readLine(in)) {
            int colon = header.indexOf(':');
            headers.put(
                    header.substring(0, colon).trim().toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        String path = parts[1].replaceFirst("\\?.*", "").replaceFirst("^/" + BUCKET + "/?", "");
        return new Request(parts[0], path, headers);
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Returns whether the connection stays open. */
    private boolean answer(Request request, Socket socket, InputStream in, OutputStream out) throws IOException {
        boolean get = request.method().equals("GET");
        Fault fault = get ? nextFault() : new Fault.None();
        if (fault instanceof Fault.Before before) {
            before.action().run();
        }
        if (fault instanceof Fault.Status status) {
            return error(out, get, status.status(), status.code(), "");
        }
        if (fault instanceof Fault.Stall stall && stall.after() < 0) {
            return stall(in);
        }
        Stored object = objects.get(request.key());
        if (object == null) {
            return error(out, get, 404, "NoSuchKey", "");
        }
        String ifMatch = request.headers().get("if-match");
        if (ifMatch != null && !ifMatch.equals(object.etag()) && !(fault instanceof Fault.IgnoreIfMatch)) {
            return error(out, get, 412, "PreconditionFailed", "");
        }
        int total = object.content().length;
        int[] range = range(request.headers().get("range"), total);
        if (range == null) {
            return error(out, get, 416, "InvalidRange", "Content-Range: bytes */" + total + "\r\n");
        }
        boolean ranged = request.headers().containsKey("range") && !(fault instanceof Fault.IgnoreRange);
        if (!ranged) {
            range = new int[] {0, total};
        }
        return respond(fault, object, range, ranged, get, socket, in, out);
    }

    private boolean respond(
            Fault fault,
            Stored object,
            int[] range,
            boolean ranged,
            boolean get,
            Socket socket,
            InputStream in,
            OutputStream out)
            throws IOException {
        int from = range[0];
        int length = range[1] - from;
        Fault.Framing framing = Fault.Framing.CONTENT_LENGTH;
        String contentRange = "bytes " + from + "-" + (range[1] - 1) + "/" + object.content().length;
        if (fault instanceof Fault.Truncated tooShort) {
            length -= tooShort.missing();
            framing = tooShort.framing();
        } else if (fault instanceof Fault.ContentRange wrong) {
            contentRange = wrong.value();
        }
        StringBuilder head = new StringBuilder(ranged ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n");
        head.append("ETag: ").append(object.etag()).append("\r\nx-amz-request-id: test\r\nLast-Modified: ");
        head.append(HTTP_DATE.format(object.modified())).append("\r\n");
        if (ranged && contentRange != null) {
            head.append("Content-Range: ").append(contentRange).append("\r\n");
        }
        switch (framing) {
            case CONTENT_LENGTH ->
                head.append("Content-Length: ").append(length).append("\r\n");
            case CHUNKED -> head.append("Transfer-Encoding: chunked\r\n");
            case CLOSE -> head.append("Connection: close\r\n");
        }
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        if (!get) {
            return true;
        }
        if (fault instanceof Fault.Cut cut) {
            body(out, object.content(), from, Math.min(length, cut.after()));
            out.flush();
            if (cut.reset()) {
                socket.setSoLinger(true, 0);
            }
            return false;
        }
        if (fault instanceof Fault.Stall stall) {
            body(out, object.content(), from, Math.min(length, stall.after()));
            out.flush();
            return stall(in);
        }
        if (framing == Fault.Framing.CHUNKED) {
            out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            body(out, object.content(), from, length);
            out.write("\r\n0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            return true;
        }
        if (fault instanceof Fault.Slow slow) {
            slowly(out, object.content(), from, length, slow);
            return true;
        }
        body(out, object.content(), from, length);
        return framing == Fault.Framing.CONTENT_LENGTH;
    }

    private void slowly(OutputStream out, byte[] content, int from, int length, Fault.Slow slow) throws IOException {
        for (int i = 0; i < slow.pieces(); i++) {
            LockSupport.parkNanos(slow.pause().toNanos());
            int start = (int) ((long) length * i / slow.pieces());
            int end = (int) ((long) length * (i + 1) / slow.pieces());
            body(out, content, from + start, end - start);
            out.flush();
        }
    }

    private void body(OutputStream out, byte[] content, int from, int length) throws IOException {
        int step = 1 << 16;
        for (int done = 0; done < length; done += step) {
            int n = Math.min(step, length - done);
            out.write(content, from + done, n);
            bodyBytes.addAndGet(n);
        }
    }

    /** Says nothing more until the client hangs up or the server is closed. */
    private boolean stall(InputStream in) throws IOException {
        stalls.release();
        while (in.read() >= 0) {
            // A client that has sent its request has nothing more to say.
        }
        return false;
    }

    private static boolean error(OutputStream out, boolean withBody, int status, String code, String header)
            throws IOException {
        byte[] body = ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code + "</Code><Message>" + code
                        + "</Message><RequestId>test</RequestId></Error>")
                .getBytes(StandardCharsets.UTF_8);
        out.write(("HTTP/1.1 " + status + " " + code + "\r\nContent-Type: application/xml\r\n" + header
                        + "Content-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
        if (withBody) {
            out.write(body);
        }
        return true;
    }

    /** First and one past the last byte, or {@code null} where the object has none of the range. */
    private static int[] range(String header, int total) {
        if (header == null) {
            return new int[] {0, total};
        }
        String[] ends = header.substring("bytes=".length()).split("-", 2);
        if (ends[0].isEmpty()) {
            int suffix = (int) Math.min(total, Long.parseLong(ends[1]));
            return suffix == 0 ? null : new int[] {total - suffix, total};
        }
        long from = Long.parseLong(ends[0]);
        long to = ends[1].isEmpty() ? total : Math.min(total, Long.parseLong(ends[1]) + 1);
        return from >= total ? null : new int[] {(int) from, (int) to};
    }

    private Fault nextFault() {
        synchronized (queued) {
            Fault fault = queued.poll();
            return fault == null ? standing : fault;
        }
    }

    private static String md5(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
