#!/usr/bin/env bash
# notes_example.sh SERVER CLIENT: the examples of the guides, run together, over stdio and over HTTP.
set -euo pipefail
server=$1 client=$2

expected='connected: notes
changed: notes://plan
added: {"uri":"notes://plan"}
refused: {"error":"add note: plan","code":"note_exists","hint":"Choose another title, or read notes://plan."}
read: Small first.
counted: 4096 bytes
words: 2
failed: ...'

# The notification and the answer to what caused it race; what fails names its URI.
check() {
  local said=$1 line
  while read -r line; do
    line=${line%...}
    grep --quiet --fixed-strings -- "$line" <<<"$said" || {
      printf 'notes_example: this line is missing: %s\n--- it said:\n%s\n' "$line" "$said" >&2
      exit 1
    }
  done <<<"$expected"
  grep --quiet --fixed-strings 'failed: ' <<<"$said"
  grep 'failed: ' <<<"$said" | grep --quiet --fixed-strings 'notes://nothing'
}

check "$(timeout 60 "$client" "$server")"

exec 3< <(exec "$server" --http 127.0.0.1:0 2>&1 >/dev/null)
pid=$!
trap 'kill "$pid" 2>/dev/null || true' EXIT
url=
while [[ -z $url ]] && read -r -t 20 line <&3; do
  url=$(grep --only-matching 'http://127.0.0.1:[0-9]*[a-z/]*' <<<"$line" || true)
done
[[ -n $url ]] || { echo "notes_example: the server does not listen" >&2; exit 1; }
check "$(timeout 60 "$client" "$url")"
echo "both ways say what they should"
