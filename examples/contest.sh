#!/usr/bin/env bash
# An appeal from its filing to a file that an outsider verifies; docs/contest.md goes through what it shows.
#
#     examples/contest.sh FOLDER        a new folder, for the platform's data and the file
set -euo pipefail

PATH=$(cd "$(dirname "$0")/.." && pwd)/.venv/bin:$PATH # where `make setup` puts the command
folder=$(mkdir "${1:?a new folder, for the platform and the file}" && cd "$1" && pwd)
unset FUPAN_CHAMPIONSHIP FUPAN_TOKEN # of another event, which this terminal was about before
asked=(--table r1-t1 --round 1 --board 2 --correct 20,-10,-10)

# Show a command, and run it.
PS4=$'\n$ '
run() { (set -x && "$@"); }

# Wait until a command tells something: what the services do by themselves.
until_told() {
  for _ in {1..60}; do "${@:2}" | grep -q "$1" && return || sleep 1; done
  echo "waited in vain for $1 of ${*:2}" >&2 && return 1
}

# A platform, on which robots have played a small championship that nobody has contested yet.
fupan demo --uncontested --entrants 6 --rounds 1 --boards 2 --seed 7 --data "$folder/data" >"$folder/report" 2>"$folder/log" &
platform=$!
trap 'kill "$platform" 2>/dev/null && wait "$platform" || true' EXIT
until grep -q FUPAN_SERVER= "$folder/log"; do
  kill -0 "$platform" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 1
done
export FUPAN_SERVER=$folder/data

run fupan standings
run fupan board show 2 --round 1

# Contested, paid for, and put together as a case.
run fupan appeal file "${asked[@]}" --grounds "My hu was not entered." --as player-002
appeal=$(fupan appeal list --output csv | sed -n '2s/,.*//p')
run fupan appeal fee "$appeal" 500 CNY --reference "receipt 17"
until_told '"case": "[0-9a-f]' fupan appeal show "$appeal" --json
run fupan appeal show "$appeal" --case --as chief-referee

# What happened, at this table and at the others; what a ruling would change.
run fupan board replay r1-t1 2 --seat 0
run fupan board compare 1 2
run fupan appeal whatif "${asked[@]}" --lines 3 --as chief-referee
run fupan appeal materiality r1-t1 2 --round 1 --as chief-referee

# The panel: one member steps back, a reserve steps in, three sealed votes.
run fupan appeal panel "$appeal" arbitrator-1 arbitrator-2 arbitrator-3 --reserve arbitrator-4
run fupan appeal conflict "$appeal" --reason "my pupil" --as arbitrator-1
run fupan appeal vote "$appeal" uphold --as arbitrator-2
run fupan appeal vote "$appeal" uphold --as arbitrator-3
run fupan appeal vote "$appeal" reject --as arbitrator-4
until_told '^2,.*,ruling,' fupan score publications --output csv
run fupan appeal show "$appeal"

# As published then, and what became of it.
run fupan standings --as-of 1
run fupan standings --since 1 --lines 3
run fupan score rebuild

# A file of everything, checked where there are no services.
run fupan audit export --championship demo-1 --out "$folder/demo-1.fupan"
kill "$platform" && wait "$platform" || true
trusted=$(grep -oE '([0-9a-f]{4}-){15}[0-9a-f]{4}' "$folder/log" | sed 's/^/--trust /')
cd / && run env -i "$(command -v fupan)" audit verify "$folder/demo-1.fupan" $trusted
