// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Options given as {@code --name value} or {@code --name=value}, read once each with a default and a range. */
public final class Arguments {
    private final Map<String, String> given = new HashMap<>();
    private final TreeSet<String> known = new TreeSet<>();
    private boolean help;

    /** Splits a command line. {@code --help} and {@code -h} take no value. */
    public Arguments(String[] args) {
        List<String> words = new ArrayList<>(List.of(args));
        while (!words.isEmpty()) {
            String word = words.remove(0);
            if (word.equals("--help") || word.equals("-h")) {
                help = true;
                continue;
            }
            if (!word.startsWith("--")) {
                throw new UserError("Not an option: " + word + ". See --help.");
            }
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (equals < 0 && words.isEmpty()) {
                throw new UserError("Option " + name + " needs a value. See --help.");
            }
            given.put(name, equals < 0 ? words.remove(0) : word.substring(equals + 1));
        }
    }

    /** Whether help was asked for. */
    public boolean help() {
        return help;
    }

    /** The text of an option. */
    public String text(String name, String otherwise) {
        return option(name).orElse(otherwise);
    }

    /** A whole number within a range, both ends included. */
    public int whole(String name, int otherwise, int least, int most) {
        double value = number(name, otherwise, least, most);
        if (value != Math.rint(value)) {
            throw new UserError("Option " + name + " takes a whole number. See --help.");
        }
        return (int) value;
    }

    /** A number within a range, both ends included. */
    public double number(String name, double otherwise, double least, double most) {
        Optional<String> text = option(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        String allowed = " takes a number from " + trim(least) + " to " + trim(most) + ", not ";
        double value;
        try {
            value = Double.parseDouble(text.get());
        } catch (NumberFormatException e) {
            throw new UserError("Option " + name + allowed + text.get() + ". See --help.", e);
        }
        if (!(value >= least && value <= most)) {
            throw new UserError("Option " + name + allowed + text.get() + ". See --help.");
        }
        return value;
    }

    /** To be called when all options were read: anything else that was given is an error. */
    public void requireNoOther() {
        for (String name : given.keySet()) {
            if (!known.contains(name)) {
                throw new UserError("Unknown option " + name + ". There are: " + String.join(" ", known) + ".");
            }
        }
    }

    private Optional<String> option(String name) {
        known.add(name);
        return Optional.ofNullable(given.get(name));
    }

    private static String trim(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
