// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.examples.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.nio.charset.StandardCharsets;

/**
 * Runs a program's body and turns its failures into messages and exit codes: 0 all went well, 1 it failed or a check did
 * not hold, 2 it was called wrongly or the machine lacks something.
 */
public final class Command {
    private Command() {}

    /** The body of a program. */
    public interface Body {
        /** Does the work and returns the exit code. */
        int run(Arguments arguments) throws Exception;
    }

    /**
     * Runs a program and ends this process. The log is made quiet first.
     *
     * @param help resource with the text for {@code --help}
     */
    public static void run(String[] args, String help, Body body) {
        // Before anything logs. Spark's own default prints hundreds of lines.
        System.setProperty("log4j2.configurationFile", "classpath:io/asyncscan/examples/log4j2-quiet.properties");
        System.setProperty("java.awt.headless", "true");
        System.exit(exitCode(args, help, body));
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // what is not understood is shown in full
    private static int exitCode(String[] args, String help, Body body) {
        try {
            Arguments arguments = new Arguments(args);
            if (arguments.help()) {
                System.out.print(text(help));
                return 0;
            }
            return body.run(arguments);
        } catch (UserError e) {
            return fail(e.getMessage(), 2);
        } catch (BindException e) {
            return fail(e.getMessage() + " The option is --port.", 2);
        } catch (Exception e) {
            if (Disk.isFull(e)) {
                return fail("The disk is full. Free some space, or choose another directory with --output.", 2);
            }
            e.printStackTrace();
            return fail("Failed: " + e, 1);
        }
    }

    private static int fail(String message, int code) {
        System.out.flush();
        System.err.println("error: " + message);
        return code;
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = Command.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("no resource " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
