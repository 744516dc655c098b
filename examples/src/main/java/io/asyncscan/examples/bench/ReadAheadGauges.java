// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.bench;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** The gauges of asyncscan's executor plugin, as Spark's JMX sink shows them: what any monitoring sees. */
final class ReadAheadGauges {
    private static final String PLUGIN = "io.asyncscan.connector.AsyncScanPlugin";

    private ReadAheadGauges() {}

    /** The Spark settings that publish the gauges. */
    static Map<String, String> sparkConf() {
        Map<String, String> conf = new LinkedHashMap<>();
        conf.put("spark.plugins", PLUGIN);
        conf.put("spark.metrics.conf.*.sink.jmx.class", "org.apache.spark.metrics.sink.JmxSink");
        return conf;
    }

    /** All gauges by name. */
    static SortedMap<String, Long> read() throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        SortedMap<String, Long> values = new TreeMap<>();
        for (ObjectName name : names(server)) {
            String full = name.getKeyProperty("name");
            values.put(full.substring(full.lastIndexOf('.') + 1), (Long) server.getAttribute(name, "Value"));
        }
        return values;
    }

    private static Set<ObjectName> names(MBeanServer server) throws MalformedObjectNameException {
        return server.queryNames(new ObjectName("metrics:type=gauges,name=*" + PLUGIN + ".*"), null);
    }
}
