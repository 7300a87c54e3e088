#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Nights of some seconds, one test a function. CTest calls each by itself, with CONVICT, CONVICT_TEST_PLUGINS and
# CONVICT_BLIND_GUIDED, a guided worker that needs no clang, in the environment.
set -euo pipefail
# shellcheck source=tests/deploy/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

readonly night=$root/deploy/night.sh
readonly signature='one-fault|output-unwritten|conv1d'

# Small enough for a test: few cases to replay, a profile whose coverage is soon worked out, nothing shrunk.
printf 'conv1d n=0 in=4 k=2\nconv1d n=0 in=5 k=3\n' > easy.cases
export CONVICT PROFILE=smoke SHARDS=2 TIME=3s JOBS=1 REPLAY=easy.cases
export FUZZ_FLAGS='--shrink none --oracle libtorch:native'
unset DB NIGHT SEED CASES FLAGS CONVICT_GUIDED

sql() { sqlite3 "${2:-nightly.db}" "$1"; }
new() { jq -c "$1" night/new.json; }

test_two_nights() {
  local first cases
  export CONVICT_GUIDED=$CONVICT_BLIND_GUIDED
  expect_code 0 "$night" all
  expect_contains out 'exit code 0'
  expect_equal "$(sql "SELECT count(*) FROM campaigns WHERE state = 'finished'")" 4  # two engines in two shards
  expect_equal "$(sql "SELECT count(DISTINCT (flags ->> 'shard') || (flags ->> 'engine')) FROM campaigns")" 4
  expect_equal "$(find night/report -type f -size +0 | wc -l)" \
    "$("$CONVICT" report --help | sed -n 's/.*--format TEXT:{\([a-z,]*\)}.*/\1/p' | tr , '\n' | wc -l)"
  expect_equal "$(jq '.campaigns | length' night/report/report.json)" 4
  [ "$(find nightly.corpus -type f | wc -l)" -gt 100 ] || flunk 'the corpus was not kept'
  first=$(sed -n 's/^seed=//p' night/plan)
  cases=$(sql "SELECT cases FROM coverage WHERE profile = 'smoke'")
  expect_code 0 "$night" all
  expect_equal "$(sql "SELECT count(*) FROM campaigns WHERE state = 'finished'")" 8
  [ "$(sed -n 's/^seed=//p' night/plan)" != "$first" ] || flunk 'two nights with the same cases'
  [ "$(jq .coverage.cases night/shard-1/generator.json)" -gt "$cases" ] || flunk 'coverage was not resumed'
}

test_planted_fault() {
  local id
  export CASES=200 FLAGS="--oracle none --plugin $CONVICT_TEST_PLUGINS/one_fault.so"  # it fails in nine of ten
  export FUZZ_FLAGS='--shrink none --illegal 0'
  expect_code 1 "$night" all
  expect_equal "$(new 'map([.suspect, .verdict, .first_seen_tonight])')" '[["one-fault","output-unwritten",true]]'
  expect_contains out '1 of them new and of a target, of 1 causes, 1 first seen tonight'
  expect_equal "$(jq -r .signature night/new/*.json)" "$signature"
  expect_equal "$(find night/new -name '*.py' -size +0 | wc -l)" 1
  expect_code 1 "$CONVICT" replay --plugin "$CONVICT_TEST_PLUGINS/one_fault.so" --oracle none night/new.cases
  expect_code 0 "$CONVICT" replay --target native --oracle none night/new.cases

  expect_code 1 "$night" all  # nobody has settled it, but it is no news
  expect_equal "$(new 'map([.suspect, .first_seen_tonight])')" '[["one-fault",false]]'
  "$CONVICT" triage "$(new '.[0].id')" --status known --db nightly.db > /dev/null
  expect_code 0 "$night" all
  expect_equal "$(new length)" 0
  [ "$(sql "SELECT count(*) FROM sightings JOIN mismatches ON id = mismatch WHERE signature = '$signature'")" = 6 ] ||
    flunk 'the third night has not seen it, so that it proves nothing'
  id=$(sql "SELECT id FROM mismatches WHERE signature = '$signature'")
  "$CONVICT" triage "$id" --status fixed --db nightly.db > /dev/null
  expect_code 1 "$night" all  # it is back
}

test_failing_replay() {
  echo 'conv1d in=4 k=2' >> easy.cases
  export CASES=50 FLAGS="--oracle none --plugin $CONVICT_TEST_PLUGINS/one_fault.so"
  export FUZZ_FLAGS='--shrink none --target native'
  expect_code 1 "$night" all
  expect_equal "$(new length)" 0
  expect_contains out 'replay: exit code 1'
}

# In the middle: tests/plugins/tells.c is called for every case, tells it, and waits after a thousand of them.
begin_and_stop() {  # signal
  local calls=1000 told
  mkfifo entered gate
  exec 5<> entered 6<> gate
  head -c "$calls" /dev/zero >&6
  CONVICT_TEST_ENTERED=$scratch/entered CONVICT_TEST_GATE=$scratch/gate "$night" all > first.out 2> first.err 5>&- 6>&- &
  local pid=$!
  children+=("$pid")
  for ((told = 0; told <= calls; ++told)); do read -r -u 5; done
  kill -"$1" "$pid"
  wait "$pid" || code=$?
  flock nightly.db.lock true  # until nothing that it has started is left
}

expect_that_it_goes_on() {
  expect_absent night/closed
  expect_equal "$(find night -name generator.exit | wc -l)" 0
  local seed
  seed=$(sed -n 's/^seed=//p' night/plan)
  expect_code 0 "$night" all
  expect_contains err 'going on with the night'
  expect_file night/summary.txt
  expect_equal "$(sql "SELECT count(*), count(DISTINCT uuid), sum(counts ->> 'cases') FROM campaigns")" "2|2|$CASES"
  expect_equal "$(sql 'SELECT DISTINCT seed FROM campaigns')" "$seed"
}

test_killed() {
  export CASES=2500 FLAGS="--oracle none --plugin $CONVICT_TEST_PLUGINS/tells.so --target native,tells"
  export FUZZ_FLAGS='--shrink none --min-judged 0'  # tells computes nothing
  local code=0
  begin_and_stop KILL
  expect_equal "$code" 137
  expect_that_it_goes_on
}

test_interrupted() {
  export CASES=2500 FLAGS="--oracle none --plugin $CONVICT_TEST_PLUGINS/tells.so --target native,tells"
  export FUZZ_FLAGS='--shrink none --min-judged 0'  # tells computes nothing
  local code=0
  begin_and_stop TERM
  expect_equal "$code" 130
  expect_that_it_goes_on
}

test_two_at_once() {
  exec 7> nightly.db.lock
  flock 7
  expect_code 2 "$night" all
  expect_contains err "another night works on 'nightly.db'"
  expect_absent night
  export CASES=20
  mkfifo said
  exec 5<> said
  "$night" --wait all > out 2> said 5>&- &
  local pid=$!
  children+=("$pid")
  grep -q 'waiting for another night' <&5
  expect_absent night
  flock -u 7
  wait "$pid" || flunk 'it waited, and failed'
  expect_file night/summary.txt
}

test_missing_oracle() {
  mkdir program
  cp "$CONVICT" "$(dirname "$CONVICT")"/convict_libtorch.so program
  export CONVICT=$scratch/program/convict CASES=50 FUZZ_FLAGS='--shrink none'
  expect_code 125 "$night" --require all
  expect_contains err "'onednn' is not installed"
  expect_absent night
  expect_absent night.draft
  expect_code 0 "$night" all
  expect_contains err "judging without an oracle: 'onednn'"
  expect_contains out "NOTE: judging without an oracle: 'onednn'"
}

test_missing_engine() {
  mkdir program
  cp "$CONVICT" "$(dirname "$CONVICT")"/convict_libtorch.so "$(dirname "$CONVICT")"/convict_onednn.so program
  export CONVICT=$scratch/program/convict
  expect_code 125 "$night" --require plan
  expect_contains err '--engine libfuzzer'
  expect_absent night
  expect_code 0 "$night" plan
  expect_contains night/notes 'no guided phase'
  CONVICT_GUIDED=$CONVICT_BLIND_GUIDED NIGHT=other expect_code 0 "$night" --require plan
  expect_equal "$(cat other/notes)" ''
  CONVICT_GUIDED=/nowhere NIGHT=third expect_code 2 "$night" plan
}

# As CI's matrix and batch schedulers do it, with folders that are carried about.
test_phases() {
  export CASES=600 SEED=7 DB=one.db NIGHT=one
  expect_code 0 "$night" all
  export DB=many.db NIGHT=many
  expect_code 0 "$night" plan
  expect_code 0 "$night" replay
  cp -r many elsewhere
  expect_code 0 "$night" shard 1
  expect_code 0 "$night" merge
  expect_code 125 "$night" report  # red, and not closed: a shard is missing
  expect_contains out 'not finished: shard 2'
  expect_absent many/closed
  NIGHT=elsewhere expect_code 0 "$night" shard 2
  mv elsewhere/shard-2 many
  expect_code 0 "$night" merge
  expect_code 0 "$night" report
  [ -e many/closed ] || flunk 'a finished night is not closed'
  local rows='SELECT signature, hits, case_text, status FROM mismatches ORDER BY signature'
  expect_equal "$(sql "$rows" one.db)" "$(sql "$rows" many.db)"
  [ -n "$(sql "$rows" one.db)" ] || flunk 'nothing was found, so that nothing was compared'
}

test_bad_input() {
  TIME=5 expect_code 2 "$night" all
  expect_contains err "TIME: '5' is not valid; valid: 30s, 10m, 8h"
  TIME=2s expect_code 2 "$night" all
  SHARDS=0 expect_code 2 "$night" all
  expect_contains err "SHARDS: '0' is not valid"
  CASES=many expect_code 2 "$night" all
  SEED=-1 expect_code 2 "$night" all
  FUZZ_FLAGS=--nonsense expect_code 2 "$night" all
  expect_contains err "unknown flag '--nonsense'"
  FLAGS='--plugin ./nowhere.so' expect_code 2 "$night" all
  CONVICT=./nowhere expect_code 2 "$night" all
  DB=nowhere/a.db expect_code 2 "$night" all
  expect_code 2 "$night"
  expect_code 2 "$night" --nonsense all
  expect_code 2 "$night" every
  expect_code 2 "$night" plan twice
  expect_code 2 "$night" shard 1
  expect_contains err 'no plan'
  expect_absent night
  expect_absent nightly.db
  mkdir night && touch night/precious
  expect_code 2 "$night" all
  expect_contains err 'no folder of a night'
  [ -e night/precious ] || flunk 'a folder that is none of ours was removed'
  rm -r night
  CASES=10 SEED=3 expect_code 0 "$night" all
  expect_code 2 "$night" shard 3
  CASES=10 SEED=3 expect_code 2 "$night" all
  expect_contains err 'campaigns of seed 3 already'
  echo 'not a database' > broken.db
  DB=broken.db expect_code 2 "$night" all
}

"test_$1"
