#!/usr/bin/env bash
# expect_build_failure.sh MESSAGE CMAKE MODULE_FOLDER SOURCE BUILD: the project in SOURCE must build as it is, and
# configure but not build with -DWRONG=ON, saying MESSAGE.
set -euo pipefail
message=$1 cmake=$2 modules=$3 source=$4 build=$5

configure() { "$cmake" -S "$source" -B "$build" -G Ninja "-DCMAKE_MODULE_PATH=$modules" "$@" >/dev/null; }
build() { "$cmake" --build "$build" 2>&1; }

rm -rf "$build"
configure -DWRONG=OFF
if ! output=$(build); then
  echo "$output"
  echo "expect_build_failure: the project does not build even with its wrong line off"
  exit 1
fi
configure -DWRONG=ON
if output=$(build); then
  echo "expect_build_failure: the wrong line builds"
  exit 1
fi
grep --quiet --fixed-strings "$message" <<<"$output" || {
  echo "$output"
  echo "expect_build_failure: the wrong line fails, but not with: $message"
  exit 1
}
