#!/usr/bin/env bash
# use_installed.sh CMAKE COMPILER BUILD EXAMPLES SCRATCH: installs BUILD below SCRATCH, builds the smallest server, client
# and ToolNode of EXAMPLES with what was installed, asks the server one question and has the other two use it.
set -euo pipefail
cmake=$1 compiler=$2 build=$3 examples=$4 scratch=$5
consumer=$(dirname "${BASH_SOURCE[0]}")/consumer

rm -rf "$scratch/prefix" "$scratch/consumer"
"$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/sluice" version
mkdir -p "$scratch/prefix/data"
printf 'a\n1\n' >"$scratch/prefix/data/one.csv"
"$scratch/prefix/bin/sluice" check "$scratch/prefix/data"  # Which needs the engine, from where it is installed.
"$cmake" -S "$consumer" -B "$scratch/consumer" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" "-DEXAMPLES=$examples" \
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$scratch/prefix" >/dev/null
"$cmake" --build "$scratch/consumer"

question='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},
"clientInfo":{"name":"install test","version":"0"}}}'
answer=$(tr -d '\n' <<<"$question" | timeout 20 "$scratch/consumer/server")
echo "$answer"
grep --quiet --fixed-strings '"serverInfo":{"name":"hello"' <<<"$answer"
answer=$(timeout 20 "$scratch/consumer/client" "$scratch/consumer/server")
echo "$answer"
grep --quiet --line-regexp 'Hello, you!' <<<"$answer"
answer=$(timeout 20 "$scratch/consumer/node" "$scratch/consumer/server")
echo "$answer"
grep --quiet --line-regexp 'tool greet' <<<"$answer"
