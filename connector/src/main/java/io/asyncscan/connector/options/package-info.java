// SPDX-License-Identifier: Apache-2.0
/** Option keys, their parser and the typed options; below this package nobody sees an option as a string. */
package io.asyncscan.connector.options;
