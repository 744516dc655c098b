// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    @Test
    void readsBothForms() {
        Arguments arguments = new Arguments(new String[] {"--runs", "5", "--output=a=b", "--runs=7"});
        assertEquals(7, arguments.whole("--runs", 3, 1, 10), "the last one counts");
        assertEquals("a=b", arguments.text("--output", "x"));
        assertEquals(1.5, arguments.number("--scale", 1.5, 0, 2));
        arguments.requireNoOther();
        assertFalse(arguments.help());
        assertTrue(new Arguments(new String[] {"-h"}).help());
    }

    @Test
    void namesWhatIsWrong() {
        assertMessage("Option --runs needs a value.", () -> new Arguments(new String[] {"--runs"}));
        assertMessage("Not an option: runs.", () -> new Arguments(new String[] {"runs", "1"}));
        Arguments arguments = new Arguments(new String[] {"--runs", "0", "--scale", "big", "--cores", "1.5"});
        assertMessage("Option --runs takes a number from 1 to 10, not 0.", () -> arguments.whole("--runs", 3, 1, 10));
        assertMessage(
                "Option --scale takes a number from 0.01 to 2, not big.",
                () -> arguments.number("--scale", 1, 0.01, 2));
        assertMessage("Unknown option --cores. There are: --runs --scale.", arguments::requireNoOther);
        assertMessage("Option --cores takes a whole number.", () -> arguments.whole("--cores", 1, 1, 2));
    }

    @Test
    void knowsAFullDisk() {
        assertTrue(Disk.isFull(new RuntimeException(new IOException("No space left on device"))));
        assertFalse(Disk.isFull(new IOException("Connection reset")));
    }

    @Test
    void alignsTables() {
        String line = System.lineSeparator();
        assertEquals(
                "        s  GETs" + line + "---------------" + line + "a     1.0    10" + line + "bbbb  2.0     2"
                        + line,
                new Table("", "s", "GETs")
                        .row("a", "1.0", "10")
                        .row("bbbb", "2.0", "2")
                        .toString());
    }

    private static void assertMessage(String start, Runnable body) {
        String message = assertThrows(UserError.class, body::run).getMessage();
        assertTrue(message.startsWith(start), message);
    }
}
