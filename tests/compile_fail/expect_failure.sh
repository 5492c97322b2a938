#!/usr/bin/env bash
# expect_failure.sh MESSAGE COMPILER ARGUMENTS...: the command must succeed as it is, and fail with -DWRONG, saying
# MESSAGE.
set -euo pipefail
message=$1
shift

if ! output=$("$@" 2>&1); then
  echo "$output"
  echo "expect_failure: the case does not compile even with its wrong line off"
  exit 1
fi
if output=$("$@" -DWRONG 2>&1); then
  echo "expect_failure: the wrong line compiles"
  exit 1
fi
grep --quiet --fixed-strings "$message" <<<"$output" || {
  echo "$output"
  echo "expect_failure: the wrong line fails, but not with: $message"
  exit 1
}
