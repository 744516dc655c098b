// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.UserError;
import io.asyncscan.examples.tpch.Query;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What is measured. */
enum BenchCase {
    Q6("q6", Query.Q6, BenchData.FILE, true, "TPC-H Q6 over one file from S3"),
    SCAN("scan", Query.SCAN, BenchData.FILE, true, "hash of all 16 columns of one file from S3"),
    Q6_FILES("q6-files", Query.Q6, BenchData.FILES, true, "TPC-H Q6 over 64 files of two row groups from S3"),
    LOCAL_Q6("local-q6", Query.Q6, BenchData.FILE, false, "TPC-H Q6 over one hot local file"),
    LOCAL_SCAN("local-scan", Query.SCAN, BenchData.FILE, false, "hash of all 16 columns of one hot local file");

    private final String id;
    private final Query query;
    private final String key;
    private final boolean remote;
    private final String title;

    BenchCase(String id, Query query, String key, boolean remote, String title) {
        this.id = id;
        this.query = query;
        this.key = key;
        this.remote = remote;
        this.title = title;
    }

    /** What {@code --cases} calls it. */
    String id() {
        return id;
    }

    Query query() {
        return query;
    }

    /** The file or directory below the bucket. */
    String key() {
        return key;
    }

    /** Whether the store serves it; else the local file is read. */
    boolean remote() {
        return remote;
    }

    String title() {
        return title;
    }

    /** Reads a list such as {@code q6,scan}; {@code all} is all. */
    static List<BenchCase> parse(String text) {
        if (text.equals("all")) {
            return List.of(values());
        }
        List<BenchCase> cases = new ArrayList<>();
        for (String id : text.split(",", -1)) {
            cases.add(Arrays.stream(values())
                    .filter(c -> c.id.equals(id))
                    .findFirst()
                    .orElseThrow(() -> new UserError("No case is called " + id + ". There are: "
                            + String.join(
                                    " ",
                                    Arrays.stream(values()).map(BenchCase::id).toList()) + " all.")));
        }
        return cases;
    }
}
