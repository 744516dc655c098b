#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# TPC-H Q6 from a store that answers like S3: Spark's own reader and asyncscan in turn. See --help.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/launch.sh"
launch io.asyncscan.examples.demo.DemoMain demo-help.txt "$examples/target/demo" "$@"
