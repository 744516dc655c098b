// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.s3.Link;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Answers requests from the files below a directory, whose subdirectories are buckets. */
final class FileAnswers {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d*)-(\\d*)");

    private final Path root;
    private final Link link;

    FileAnswers(Path root, Link link) {
        this.root = root;
        this.link = link;
    }

    void answer(HttpExchange exchange) throws IOException {
        String target = exchange.target();
        int mark = target.indexOf('?');
        String path = decode(mark < 0 ? target : target.substring(0, mark)).substring(1);
        Map<String, String> query = mark < 0 ? Map.of() : query(target.substring(mark + 1));
        String method = exchange.method();
        if (method.equals("GET") && query.containsKey("list-type")) {
            link.list();
            list(exchange, path.replaceFirst("/$", ""), query);
        } else if (method.equals("HEAD")) {
            link.head();
            head(exchange, path);
        } else if (method.equals("GET")) {
            link.get();
            get(exchange, path);
        } else {
            error(exchange, "501 Not Implemented", "NotImplemented");
        }
    }

    private void head(HttpExchange exchange, String path) throws IOException {
        Path file = root.resolve(path);
        if (Files.isRegularFile(file)) {
            exchange.sendHead("200 OK", Files.size(file), describe(file));
        } else {
            exchange.sendHead("404 Not Found", 0, Map.of());
        }
    }

    private void get(HttpExchange exchange, String path) throws IOException {
        Path file = root.resolve(path);
        if (!Files.isRegularFile(file)) {
            error(exchange, "404 Not Found", "NoSuchKey");
            return;
        }
        Optional<String> wanted = exchange.header("if-match");
        if (wanted.isPresent() && !unquote(wanted.get()).equals(etag(file))) {
            error(exchange, "412 Precondition Failed", "PreconditionFailed");
            return;
        }
        long size = Files.size(file);
        long from = 0;
        long to = size - 1;
        Matcher range = RANGE.matcher(exchange.header("range").orElse(""));
        boolean ranged = range.matches();
        if (ranged && range.group(1).isEmpty()) {
            from = Math.max(size - Long.parseLong(range.group(2)), 0);
        } else if (ranged) {
            from = Long.parseLong(range.group(1));
            to = range.group(2).isEmpty() ? to : Math.min(to, Long.parseLong(range.group(2)));
        }
        if (ranged && from > to) {
            error(exchange, "416 Range Not Satisfiable", "InvalidRange");
            return;
        }
        Map<String, String> headers = describe(file);
        if (ranged) {
            headers.put("Content-Range", "bytes " + from + "-" + to + "/" + size);
        }
        exchange.sendHead(ranged ? "206 Partial Content" : "200 OK", to - from + 1, headers);
        Link.Body body = link.newBody();
        try (FileChannel channel = FileChannel.open(file)) {
            for (long at = from; at <= to; ) {
                int count = (int) Math.min(Link.SLICE_BYTES, to - at + 1);
                body.send(count);
                exchange.send(channel, at, count);
                at += count;
            }
        }
    }

    /** All in one page: the bench has some dozens of objects. */
    private void list(HttpExchange exchange, String bucket, Map<String, String> query) throws IOException {
        String prefix = query.getOrDefault("prefix", "");
        String delimiter = query.getOrDefault("delimiter", "");
        Path base = root.resolve(bucket);
        StringBuilder contents = new StringBuilder();
        TreeSet<String> prefixes = new TreeSet<>();
        int keys = 0;
        for (String key : keys(base, prefix)) {
            int cut = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
            if (cut >= 0) {
                prefixes.add(key.substring(0, cut + delimiter.length()));
                continue;
            }
            Path file = base.resolve(key);
            contents.append("<Contents><Key>").append(key).append("</Key><LastModified>");
            contents.append(DateTimeFormatter.ISO_INSTANT.format(modified(file)));
            contents.append("</LastModified><ETag>&quot;").append(etag(file)).append("&quot;</ETag><Size>");
            contents.append(Files.size(file)).append("</Size><StorageClass>STANDARD</StorageClass></Contents>");
            keys++;
        }
        for (String common : prefixes) {
            contents.append("<CommonPrefixes><Prefix>").append(common).append("</Prefix></CommonPrefixes>");
        }
        String xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
                + "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>" + bucket
                + "</Name><Prefix>" + prefix + "</Prefix><KeyCount>" + (keys + prefixes.size())
                + "</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>" + contents
                + "</ListBucketResult>";
        exchange.sendHead(
                "200 OK", xml.getBytes(StandardCharsets.UTF_8).length, Map.of("Content-Type", "application/xml"));
        exchange.send(xml);
    }

    private static List<String> keys(Path base, String prefix) throws IOException {
        try (Stream<Path> files = Files.walk(base)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> base.relativize(file).toString().replace('\\', '/'))
                    .filter(key -> key.startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    private static void error(HttpExchange exchange, String status, String code) throws IOException {
        String xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code + "</Code><Message>" + status
                + "</Message></Error>";
        exchange.sendHead(status, xml.length(), Map.of("Content-Type", "application/xml"));
        exchange.send(xml);
    }

    private static Map<String, String> describe(Path file) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("ETag", "\"" + etag(file) + "\"");
        headers.put(
                "Last-Modified",
                DateTimeFormatter.RFC_1123_DATE_TIME.format(modified(file).atOffset(ZoneOffset.UTC)));
        headers.put("Accept-Ranges", "bytes");
        headers.put("Content-Type", "application/octet-stream");
        return headers;
    }

    private static String etag(Path file) throws IOException {
        return Long.toHexString(modified(file).toEpochMilli()) + "-" + Long.toHexString(Files.size(file));
    }

    private static String unquote(String etag) {
        return etag.replace("\"", "");
    }

    private static Instant modified(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toInstant();
    }

    private static Map<String, String> query(String text) {
        Map<String, String> query = new HashMap<>();
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            query.put(
                    decode(equals < 0 ? pair : pair.substring(0, equals)),
                    decode(equals < 0 ? "" : pair.substring(equals + 1)));
        }
        return query;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
