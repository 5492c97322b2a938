#!/usr/bin/env bash
# demo_test.sh ROOT PROGRAM: the demo runs to its end, shows tables, costs and a page of a handle, and is plain text in a pipe.
set -euo pipefail
output=$(SLUICE="$2" "$1/scripts/demo")
grep --quiet 'method: handle, 853 rows' <<<"$output"
grep --quiet '^    state_body  *subprogram_total_sum$' <<<"$output"
grep --quiet --extended-regexp 'query_next_page .*→ [0-9,]+ tokens$' <<<"$output"
grep --quiet '^    state_body,program_code,' <<<"$output"
grep --quiet 'This conversation: [0-9,]* tokens' <<<"$output"
grep --quiet 'claude mcp add' <<<"$output"
if grep --quiet $'\033' <<<"$output"; then echo "colour codes in a pipe" >&2; exit 1; fi
