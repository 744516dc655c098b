#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures readers of Parquet and CSV against what the network and the decoder allow. See --help.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/launch.sh"
launch io.asyncscan.examples.bench.BenchMain bench-help.txt "$examples/target/bench" "$@"
