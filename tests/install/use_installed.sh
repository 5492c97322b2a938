#!/usr/bin/env bash
# use_installed.sh CMAKE COMPILER BUILD SCRATCH: installs BUILD below SCRATCH, and builds and runs consumer/ with it.
set -euo pipefail
cmake=$1 compiler=$2 build=$3 scratch=$4
consumer=$(dirname "${BASH_SOURCE[0]}")/consumer

rm -rf "$scratch/prefix" "$scratch/consumer"
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/sluice" version
"$cmake" -S "$consumer" -B "$scratch/consumer" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" \
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$scratch/prefix" >/dev/null
"$cmake" --build "$scratch/consumer"
"$scratch/consumer/consumer"
