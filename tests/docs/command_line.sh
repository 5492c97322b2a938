#!/usr/bin/env bash
# command_line.sh SLUICE: what the program says about its own command line is complete, and shells and man can read it.
set -euo pipefail
sluice=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "command_line: $*" >&2
  exit 1
}

commands=$("$sluice" --help | sed -n '/^Subcommands:/,$p' | sed -n 's/^  \([a-z]*\) .*/\1/p')
[[ $(wc -w <<<"$commands") -ge 12 ]] || fail "the help names few commands: $commands"

"$sluice" man >"$scratch/sluice.1"
warnings=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings --encoding=UTF-8 --local-file "$scratch/sluice.1" 2>&1 >"$scratch/page")
[[ -z $warnings ]] || fail "the manual page: $warnings"
text=$(sed 's/.\x08//g' "$scratch/page")

for shell in bash zsh fish; do "$sluice" completion "$shell" >"$scratch/$shell"; done
for command in $commands; do
  grep --quiet "sluice $command" <<<"$text" || fail "the manual page has no $command"
  for option in $("$sluice" "$command" --help | grep -o '^  --\?[a-z-]*\(,--[a-z-]*\)\?' | tr ',' ' '); do
    grep --quiet --fixed-strings -- "$option" <<<"$text" || fail "the manual page has no $option of $command"
    for shell in bash zsh; do
      grep --quiet --fixed-strings -- "$option" "$scratch/$shell" || fail "$shell does not complete $option of $command"
    done
  done
  grep --quiet --fixed-strings -- " -a $command " "$scratch/fish" || fail "fish does not complete $command"
done

# A bash of its own completes the words given, of which the last is not finished.
completed() {
  bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; echo "${COMPREPLY[*]}"' _ "$scratch/bash" "$@"
}
expect() {
  local wanted=$1 found
  shift
  found=$(completed "$@")
  [[ $found == "$wanted" ]] || fail "bash completes '$*' by '$found', not by '$wanted'"
}
expect serve sluice ser
expect "check call connect completion" sluice c
expect "lean full all" sluice serve --profile ''
expect --profile sluice serve --pr
expect codex sluice setup data --host cod
expect "bash zsh fish" sluice completion ''
expect '' sluice serve da
expect '' sluice serve --http --st
bash --norc -ec 'source "$1"; complete -p sluice' _ "$scratch/bash" | grep --quiet -- '-F _sluice sluice'
