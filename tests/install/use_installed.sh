#!/usr/bin/env bash
# use_installed.sh CMAKE COMPILER BUILD EXAMPLE SCRATCH: installs BUILD below SCRATCH, builds the source EXAMPLE with what
# was installed, and asks the result one question.
set -euo pipefail
cmake=$1 compiler=$2 build=$3 example=$4 scratch=$5
consumer=$(dirname "${BASH_SOURCE[0]}")/consumer

rm -rf "$scratch/prefix" "$scratch/consumer"
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/sluice" version
"$cmake" -S "$consumer" -B "$scratch/consumer" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" "-DEXAMPLE=$example" \
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$scratch/prefix" >/dev/null
"$cmake" --build "$scratch/consumer"

question='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},
"clientInfo":{"name":"install test","version":"0"}}}'
answer=$(tr -d '\n' <<<"$question" | timeout 20 "$scratch/consumer/consumer")
echo "$answer"
grep --quiet --fixed-strings '"serverInfo":{"name":"hello"' <<<"$answer"
