// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.demo;

import io.asyncscan.examples.run.Run;
import io.asyncscan.examples.s3.Shape;
import io.asyncscan.examples.s3.Traffic;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Network throughput over time of two runs, with the bandwidth they had, as a PNG picture. */
final class ThroughputChart {
    private static final Color SPARK = new Color(0xE0, 0x7B, 0x39);
    private static final Color ASYNCSCAN = new Color(0x1F, 0x6F, 0xB4);
    private static final Color LIMIT = new Color(0x77, 0x77, 0x77);
    private static final int FILL_ALPHA = 60;

    private final XYChart chart;
    private double lastSecond;
    private double highest;

    ThroughputChart(String title) {
        chart = new XYChartBuilder()
                .width(1100)
                .height(520)
                .title(title)
                .xAxisTitle("seconds since the query started")
                .yAxisTitle("network throughput, MB/s")
                .theme(Styler.ChartTheme.XChart)
                .build();
        chart.getStyler()
                .setDefaultSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.StepArea)
                .setChartBackgroundColor(Color.WHITE)
                .setChartTitleBoxVisible(false)
                .setPlotBorderVisible(false)
                .setChartPadding(16)
                .setLegendPosition(Styler.LegendPosition.InsideNE)
                .setLegendBorderColor(new Color(0xDD, 0xDD, 0xDD))
                .setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14))
                .setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 17))
                .setMarkerSize(0);
        chart.getStyler()
                .setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14))
                .setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13))
                .setPlotGridVerticalLinesVisible(false)
                .setPlotMargin(0)
                .setXAxisTickMarkSpacingHint(90)
                .setPlotGridLinesColor(new Color(0xE6, 0xE6, 0xE6))
                .setXAxisDecimalPattern("0.##")
                .setYAxisDecimalPattern("0");
    }

    ThroughputChart spark(String name, Run run) {
        return add(name, run, SPARK);
    }

    ThroughputChart asyncscan(String name, Run run) {
        return add(name, run, ASYNCSCAN);
    }

    private ThroughputChart add(String name, Run run, Color color) {
        Traffic.Snapshot traffic = run.traffic();
        double width = (double) traffic.bucket().toNanos() / 1e9;
        long[] samples = traffic.bytesPerBucket();
        // From zero to the end of the query: a sample at each of its steps, one more to close the last, and zero until
        // the end.
        int points = (int) Math.max(Math.ceil(run.seconds() / width), samples.length) + 1;
        double[] seconds = new double[points];
        double[] megabytes = new double[points];
        for (int i = 0; i < points; i++) {
            seconds[i] = i * width;
            megabytes[i] = i < samples.length ? (double) samples[i] / 1e6 / width : 0;
            highest = Math.max(highest, megabytes[i]);
        }
        lastSecond = Math.max(lastSecond, seconds[points - 1]);
        XYSeries series =
                chart.addSeries(String.format(Locale.ROOT, "%s: %.2f s", name, run.seconds()), seconds, megabytes);
        series.setLineColor(color);
        series.setFillColor(new Color(color.getRed(), color.getGreen(), color.getBlue(), FILL_ALPHA));
        series.setLineWidth(1.6f);
        series.setMarker(SeriesMarkers.NONE);
        return this;
    }

    /** Writes the picture; the file's name ends in {@code .png}. */
    void write(Path file, Shape shape) throws IOException {
        double limit = (double) shape.totalBytesPerSecond() / 1e6;
        if (limit > 0) {
            XYSeries series = chart.addSeries(
                    String.format(Locale.ROOT, "bandwidth: %.0f MB/s", limit),
                    new double[] {0, lastSecond},
                    new double[] {limit, limit});
            series.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Line);
            series.setLineColor(LIMIT);
            series.setLineStyle(
                    new BasicStroke(1.4f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {7, 5}, 0));
            series.setMarker(SeriesMarkers.NONE);
        }
        chart.getStyler()
                .setXAxisMin(0.0)
                .setXAxisMax(lastSecond)
                .setYAxisMin(0.0)
                .setYAxisMax(1.25 * Math.max(highest, limit));
        BitmapEncoder.saveBitmapWithDPI(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG, 144);
    }
}
