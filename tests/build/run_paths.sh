#!/usr/bin/env bash
# run_paths.sh BUILD SCRATCH: no ELF file, built or installed, has a run path, so that no library is loaded from the current folder.
set -euo pipefail
build=$1 scratch=$2

fail() {
  echo "run_paths: $*" >&2
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch/planted"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
checked=0
while IFS= read -r -d '' file; do
  # Programs and shared libraries: objects, archives and scripts have no dynamic section.
  dynamic=$(readelf --dynamic --wide "$file" 2>/dev/null) || continue
  grep --quiet NEEDED <<<"$dynamic" || continue
  if grep --quiet --extended-regexp 'RPATH|RUNPATH' <<<"$dynamic"; then fail "$file has a run path: $dynamic"; fi
  checked=$((checked + 1))
done < <(find "$build" "$scratch/prefix" -path "$build/CMakeFiles" -prune -o -type f -executable -size +8k -print0 -o -name '*.so*' -type f -print0)
[[ $checked -ge 4 ]] || fail "only $checked programs and libraries were found"

# A library planted in the current folder: the loader would refuse it, and the program would not start.
for name in $(readelf --dynamic "$build/sluice" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p') libduckdb.so; do
  echo planted >"$scratch/planted/$name"
done
mkdir "$scratch/data"
printf 'a\n1\n' >"$scratch/data/one.csv"
cd "$scratch/planted"
for program in "$build/sluice" "$scratch/prefix/bin/sluice"; do
  "$program" version
  "$program" check "$scratch/data"
done
echo "$checked programs and libraries have no run path"
