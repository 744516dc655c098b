// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.connector.bridge;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Settings as maps.
 *
 * <p>Internals: {@link SparkEnv}, because an executor has its SparkConf nowhere else.
 */
public final class SessionSettings {
    private SessionSettings() {}

    /** The session's settings, which lie over the SparkConf's. */
    public static Map<String, String> active() {
        return of(SparkSession.active());
    }

    static Map<String, String> of(SparkSession session) {
        return CollectionConverters.asJava(session.conf().getAll());
    }

    /** The options a relation was made with. */
    static Map<String, String> of(HadoopFsRelation relation) {
        return CollectionConverters.asJava(relation.options());
    }

    /** The SparkConf of the process this runs in. */
    static Map<String, String> process() {
        SparkConf conf = SparkEnv.get().conf();
        Map<String, String> result = new HashMap<>();
        for (Tuple2<String, String> entry : conf.getAll()) {
            result.put(entry._1(), entry._2());
        }
        return result;
    }
}
