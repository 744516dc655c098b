// SPDX-License-Identifier: Apache-2.0
/** Measures readers against what the network and the decoder allow. The server is so small that it hardly shows. */
package io.asyncscan.examples.bench;
