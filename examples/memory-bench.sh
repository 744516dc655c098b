#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures concurrent queries within heaps of several sizes. See --help.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/launch.sh"
launch io.asyncscan.examples.bench.MemoryBench memory-help.txt "$examples/target/memory-bench" "$@"
