#!/usr/bin/env bash
# demo_test.sh ROOT PROGRAM: the demo runs to its end and shows a page of a handle.
set -euo pipefail
output=$(SLUICE="$2" "$1/scripts/demo")
grep --quiet '"method":"handle"' <<<"$output"
grep --quiet '"format":"csv","data":"state_body,' <<<"$output"
grep --quiet 'claude mcp add' <<<"$output"
