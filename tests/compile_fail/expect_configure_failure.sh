#!/usr/bin/env bash
# expect_configure_failure.sh MESSAGE CMAKE MODULE_FOLDER SOURCE BUILD: the project in SOURCE must configure as it is,
# and fail with -DWRONG=ON, saying MESSAGE.
set -euo pipefail
message=$1 cmake=$2 modules=$3 source=$4 build=$5

configure() { "$cmake" -S "$source" -B "$build" -G Ninja "-DCMAKE_MODULE_PATH=$modules" "$@" 2>&1; }

rm -rf "$build"
if ! output=$(configure -DWRONG=OFF); then
  echo "$output"
  echo "expect_configure_failure: the project does not configure even with its wrong line off"
  exit 1
fi
if output=$(configure -DWRONG=ON); then
  echo "expect_configure_failure: the wrong line configures"
  exit 1
fi
# CMake breaks the lines of a message.
tr --squeeze-repeats ' \n' ' ' <<<"$output" | grep --quiet --fixed-strings "$message" || {
  echo "$output"
  echo "expect_configure_failure: the wrong line fails, but not with: $message"
  exit 1
}
