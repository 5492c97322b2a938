#!/usr/bin/env bash
# run_path.sh BUILD SCRATCH: no program, built or installed, has a run path, so that no library is loaded from the current folder.
set -euo pipefail
build=$1 scratch=$2

fail() {
  echo "run_path: $*" >&2
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch/planted"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
checked=0
while IFS= read -r program; do
  dynamic=$(readelf --dynamic "$program")
  grep --quiet NEEDED <<<"$dynamic" || fail "not a dynamic program: $program"
  if grep --quiet --extended-regexp 'RPATH|RUNPATH' <<<"$dynamic"; then fail "$program has a run path: $dynamic"; fi
  checked=$((checked + 1))
done < <(find "$build" "$build/tests" "$build/examples" "$scratch/prefix/bin" -maxdepth 1 -type f -executable)
[[ $checked -ge 4 ]] || fail "only $checked programs were found"

# A library planted in the current folder: the loader would refuse it, and the program would not start.
for name in $(readelf --dynamic "$build/sluice" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p') libduckdb.so; do
  echo planted >"$scratch/planted/$name"
done
mkdir "$scratch/data"
printf 'a\n1\n' >"$scratch/data/one.csv"
cd "$scratch/planted"
for program in "$build/sluice" "$scratch/prefix/bin/sluice"; do
  "$program" check "$scratch/data"
done
echo "$checked programs have no run path"
