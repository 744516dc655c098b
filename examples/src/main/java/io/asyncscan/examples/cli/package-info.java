// SPDX-License-Identifier: Apache-2.0
/** What the command lines of the demo and the bench share: arguments, errors for people, disk space, tables. */
package io.asyncscan.examples.cli;
