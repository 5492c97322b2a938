#!/usr/bin/env bash
# demo_test.sh ROOT PROGRAM: the demo runs to its end, shows answers of the lean tools first, then tables, costs and a page of a
# handle, and is plain text in a pipe.
set -euo pipefail
output=$(SLUICE="$2" "$1/scripts/demo")
grep --quiet '^    airports 3376: iata, name, city' <<<"$output"
grep --quiet '^    Chicago,138$' <<<"$output"
grep --quiet "^    # 0 rows; state has the values 'AK', .* and no 'Florida'\$" <<<"$output"
grep --quiet --extended-regexp '^    # 10 of 3,376 rows shown; all are in table all_airports \(' <<<"$output"
grep --quiet 'method: handle, 853 rows' <<<"$output"
grep --quiet '^    state_body  *subprogram_total_sum$' <<<"$output"
grep --quiet --extended-regexp 'query_next_page .*→ [0-9,]+ tokens$' <<<"$output"
grep --quiet '^    state_body,program_code,' <<<"$output"
grep --quiet 'This conversation: [0-9,]* tokens' <<<"$output"
grep --quiet 'claude mcp add' <<<"$output"
if grep --quiet $'\033' <<<"$output"; then echo "colour codes in a pipe" >&2; exit 1; fi
