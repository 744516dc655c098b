// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.s3.Link;
import io.asyncscan.examples.s3.Shape;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * As much of S3 as reading needs, over HTTP on a loopback port: GET with ranges and {@code If-Match}, HEAD, ListObjectsV2.
 * Buckets are the directories below its root. Payload goes from the page cache to the socket without passing this
 * process (about 1 CPU second a gigabyte in ranges of 8 MiB, pacing included, where S3Proxy takes 3), so that on two
 * cores the numbers show the reader and not the server. It believes every signature: what is checked, {@code EmbeddedS3} checks.
 *
 * <p>Each connection has a daemon thread. Who started it closes it, which ends them.
 */
final class FileServer implements AutoCloseable {
    /** Enough for a slice and a half: what is in the socket has left as far as the link is concerned. */
    private static final int SEND_BUFFER_BYTES = 2 * Link.SLICE_BYTES;

    private final Path root;
    private final Link link;
    private final ServerSocketChannel listener;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    FileServer(Path root, int port, Shape shape) throws IOException {
        this.root = root;
        this.link = new Link(shape);
        this.listener = ServerSocketChannel.open();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try {
            listener.bind(address, 256);
        } catch (IOException e) {
            listener.close();
            throw new java.net.BindException("Port " + port + " cannot be used: " + e.getMessage() + ".");
        }
        start("bench-s3-accept", this::accept);
    }

    Link link() {
        return link;
    }

    /** The Spark settings with which S3A reaches this server. */
    Map<String, String> sparkConf() throws IOException {
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        Map<String, String> conf = new LinkedHashMap<>();
        String s3a = "spark.hadoop.fs.s3a.";
        conf.put(s3a + "endpoint", "http://127.0.0.1:" + port);
        conf.put(s3a + "endpoint.region", "us-east-1");
        conf.put(s3a + "path.style.access", "true");
        conf.put(s3a + "connection.ssl.enabled", "false");
        conf.put(s3a + "access.key", "any");
        conf.put(s3a + "secret.key", "any");
        conf.put(s3a + "aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
        return conf;
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = listener.accept();
                connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
                connection.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
                connections.add(connection);
                start("bench-s3-connection", () -> serve(connection));
            }
        } catch (ClosedChannelException e) {
            // Closed by close(): the way this thread ends.
        } catch (IOException e) {
            System.err.println("error: the bench's server stopped accepting: " + e);
        }
    }

    private void serve(SocketChannel connection) {
        try (connection) {
            HttpExchange exchange = new HttpExchange(connection);
            FileAnswers answers = new FileAnswers(root, link);
            while (exchange.readRequest()) {
                answers.answer(exchange);
            }
        } catch (IOException e) {
            // The client hung up in the middle of an answer, which readers that abort a request do.
        } finally {
            connections.remove(connection);
        }
    }

    private static void start(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (SocketChannel connection : connections) {
            connection.close();
        }
    }
}
