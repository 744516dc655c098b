// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import io.asyncscan.examples.cli.UserError;
import io.asyncscan.examples.run.Source;
import io.asyncscan.examples.tpch.CsvItems;
import io.asyncscan.examples.tpch.Query;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What is measured. */
enum BenchCase {
    Q6("q6", Query.Q6, BenchData.FILE, true, "TPC-H Q6 over one file from S3"),
    SCAN("scan", Query.SCAN, BenchData.FILE, true, "hash of all 16 columns of one file from S3"),
    Q6_FILES("q6-files", Query.Q6, BenchData.FILES, true, "TPC-H Q6 over 64 files of two row groups from S3"),
    LOCAL_Q6("local-q6", Query.Q6, BenchData.FILE, false, "TPC-H Q6 over one hot local file"),
    LOCAL_SCAN("local-scan", Query.SCAN, BenchData.FILE, false, "hash of all 16 columns of one hot local file"),
    CSV("csv", Query.SCAN, BenchData.CSV, true, "hash of all 16 columns of one CSV file from S3"),
    CSV_Q6("csv-q6", Query.Q6, BenchData.CSV, true, "TPC-H Q6, 4 of 16 columns, over one CSV file from S3"),
    CSV_FILES("csv-files", Query.SCAN, BenchData.CSV_FILES, true, "the same of 400 small CSV files from S3"),
    CSV_GZIP("csv-gzip", Query.SCAN, BenchData.CSV_GZIP, true, "the same of 8 CSV files packed by gzip from S3"),
    CSV_MULTILINE(
            "csv-multiline", Query.SCAN, BenchData.CSV, true, "one CSV file from S3 with multiLine, so in one task"),
    LOCAL_CSV("local-csv", Query.SCAN, BenchData.CSV, false, "hash of all 16 columns of one hot local CSV file");

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

    /** What is read, at that path. */
    Source source(String path) {
        if (!BenchData.isCsv(key)) {
            return Source.parquet(path);
        }
        return Source.csv(path, this == CSV_MULTILINE ? Map.of("multiLine", "true") : Map.of(), CsvItems.SCHEMA);
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
