#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# deploy/issues.py with a `gh` that is a file: one issue a signature, and nothing that a database says has a meaning.
set -euo pipefail
# shellcheck source=tests/deploy/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

mkdir bin
cp "$here/fake_gh.py" bin/gh
chmod +x bin/gh
export PATH=$scratch/bin:$PATH GH_STATE=$scratch/issues.json GH_CALLS=$scratch/calls
unset GITHUB_SERVER_URL GITHUB_REPOSITORY GITHUB_RUN_ID

add_row() {  # number, signature, operation's coarse signature, case
  mkdir -p night/new
  [ -f night/new.json ] || echo '[]' > night/new.json
  jq ". + [{id: $1}]" night/new.json > more.json
  mv more.json night/new.json
  jq -n --argjson id "$1" --arg signature "$2" --arg coarse "$3" --arg case "$4" '$ARGS.named + {hits: 3,
    first_seen: "2026-11-20T01:00:00Z", last_seen: "2026-11-21T01:00:00Z", predicate: "s >= 2", shrunk: null,
    certificate: {got: 0.0, exact: 2.5}}' > "night/new/$1.json"
}
issues() { jq -r "$1" issues.json; }
calls() { jq -r '.[0:2] | join(" ")' calls | sort | uniq -c | xargs; }

test_one_a_signature() {
  add_row 3 'mine|wrong-exact|conv1d|w: last|s >= 2' 'mine|wrong-exact|conv1d' 'conv1d in=4 seed=7'
  add_row 4 'mine|crash|conv2d' 'mine|crash|conv2d' 'conv2d in=4'
  echo 'import torch' > night/new/3.py
  expect_code 0 "$root/deploy/issues.py" night
  expect_equal "$(issues length)" 2
  expect_equal "$(issues '.[0].title')" 'mine: wrong-exact in conv1d'
  issues '.[0].body' > body
  expect_contains body 'case: conv1d in=4 seed=7'
  expect_contains body '"exact": 2.5'
  expect_contains body 'import torch'
  expect_contains body 'convict triage 3'
  expect_equal "$(issues '.[1].body' | grep -c 'import torch' || true)" 0

  rm calls
  jq '.hits = 40' night/new/3.json > more.json
  mv more.json night/new/3.json
  jq '.[1].state = "CLOSED"' issues.json > more.json
  mv more.json issues.json
  expect_code 0 "$root/deploy/issues.py" night
  expect_equal "$(issues length)" 2
  expect_contains issues.json 'hits: 40'
  expect_equal "$(issues '.[1].state')" OPEN
  expect_equal "$(calls)" '2 issue edit 1 issue list 1 issue reopen 1 label create'
}

test_one_a_cause() {
  local i
  for i in 3 4; do
    add_row "$i" "mine|crash|conv${i}d" "mine|crash|conv${i}d" 'conv1d in=4'
    jq '.cause = 7' "night/new/$i.json" > more.json
    mv more.json "night/new/$i.json"
  done
  expect_code 0 "$root/deploy/issues.py" night
  expect_equal "$(issues length)" 1
  issues '.[0].body' > body
  expect_contains body 'Mismatches of the same cause'
  expect_contains body '4: mine|crash|conv4d'
  expect_contains body 'convict triage cause 7'
  rm -r night  # the first one is settled, the second keeps the issue
  add_row 4 'mine|crash|conv4d' 'mine|crash|conv4d' 'conv1d in=4'
  add_row 3 'mine|crash|conv3d' 'mine|crash|conv3d' 'conv1d in=4'
  for i in 3 4; do
    jq '.cause = 7' "night/new/$i.json" > more.json
    mv more.json "night/new/$i.json"
  done
  expect_code 0 "$root/deploy/issues.py" night
  expect_equal "$(issues length)" 1
}

test_hostile_text() {
  local hostile=$'conv1d\n```\n@everyone <img src=x> $(touch pwned) \x1b[2J \u202e'
  add_row 1 'one' 'one|crash|conv1d' 'conv1d in=4'
  expect_code 0 "$root/deploy/issues.py" night
  local first
  first=$(issues '.[0].body' | head -n 1)
  # Claims to be the issue of the first, in the middle of its text.
  add_row 2 "two" $'--label\n@everyone|crash|conv1d' "$hostile"$'\n'"$first"$'\n````'
  expect_code 0 "$root/deploy/issues.py" night
  expect_equal "$(issues length)" 2
  expect_equal "$(issues '.[1].title')" '--label @everyone: crash in conv1d'
  issues '.[1].body' > body
  [ "$(head -n 1 body)" != "$first" ] || flunk 'a case took over the issue of another signature'
  expect_contains body '`````text'  # longer than any of its own
  ! grep -qP '\x1b|\x{202e}' body || flunk 'characters that are not seen'
  rm -r night
  add_row 1 'one' 'one|crash|conv1d' 'conv1d in=5'
  expect_code 0 "$root/deploy/issues.py" night
  expect_contains <(issues '.[0].body') 'conv1d in=5'
  expect_contains <(issues '.[1].body') '@everyone'
  expect_absent pwned
}

test_too_many() {
  local i
  for ((i = 1; i <= 25; ++i)); do add_row "$i" "signature $i" 'mine|crash|conv1d' 'conv1d in=4'; done
  head -c 200000 /dev/zero | tr '\0' x > night/new/1.cpp
  expect_code 0 "$root/deploy/issues.py" night
  expect_equal "$(issues length)" 20
  expect_contains out '5 more causes'
  [ "$(issues '.[0].body | length')" -lt 65536 ] || flunk 'a body that GitHub refuses'
  expect_code 0 "$root/deploy/issues.py" night
  expect_equal "$(issues length)" 25
}

test_trouble() {
  expect_code 2 "$root/deploy/issues.py" night
  expect_contains err 'no folder of a night'
  expect_code 2 "$root/deploy/issues.py" one two
  add_row 1 one 'one|crash|conv1d' 'conv1d in=4'
  GH_FAILS='issue create' expect_code 1 "$root/deploy/issues.py" night
  expect_contains err 'HTTP 403'
  local python
  python=$(python3 -c 'import sys; print(sys.executable)')
  PATH=$scratch/none expect_code 2 "$python" "$root/deploy/issues.py" night
  expect_contains err "'gh' is missing"
  rm -r night calls
  mkdir night && echo '[]' > night/new.json
  expect_code 0 "$root/deploy/issues.py" night
  expect_absent calls
}

"test_$1"
