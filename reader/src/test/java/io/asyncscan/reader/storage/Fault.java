// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

import java.time.Duration;

/** What goes wrong with one GET to a {@link FaultServer}. */
sealed interface Fault {
    /** Nothing. */
    record None() implements Fault {}

    /** The headers promise the whole range; {@code after} bytes are sent, then the connection ends. */
    record Cut(int after, boolean reset) implements Fault {}

    /** A well-formed response that is {@code missing} bytes short, framed in one of the ways HTTP has. */
    record Truncated(int missing, Framing framing) implements Fault {}

    /** 200 with the whole object. */
    record IgnoreRange() implements Fault {}

    /** A Content-Range header of our choice; {@code null} leaves it out. */
    record ContentRange(String value) implements Fault {}

    /** The object as it is, whatever If-Match says. */
    record IgnoreIfMatch() implements Fault {}

    /** Silence after {@code after} bytes of the body, until the client hangs up; -1: not even headers. */
    record Stall(int after) implements Fault {}

    /** The body comes in {@code pieces} with {@code pause} before each. */
    record Slow(int pieces, Duration pause) implements Fault {}

    /** An error response. */
    record Status(int status, String code) implements Fault {}

    /** Runs before the request is served as usual, for instance to swap the object. */
    record Before(Runnable action) implements Fault {}

    /** How a response says where its body ends. */
    enum Framing {
        CONTENT_LENGTH,
        CHUNKED,
        CLOSE
    }
}
