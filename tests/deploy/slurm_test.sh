#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# slurm_test.sh CONVICT PLUGIN: the same night here and on a Slurm cluster of two nodes that is started for it; what the
# two databases say must be the same. Then once more, with a shard that is requeued while it runs, as happens when a
# node is lost. PLUGIN has the implementations D11 and D12, which are wrong. Exit code 77 is "skipped" to CTest.
set -euo pipefail
for tool in munged slurmctld slurmd sbatch sqlite3; do
  PATH=$PATH:/usr/sbin command -v $tool >/dev/null ||
    { echo "skipped: no $tool here; 'make test-fleet' installs the packages slurm-wlm, munge and sqlite3"; exit 77; }
done

tests=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
deploy=$tests/../../deploy
work=$(mktemp -d "${TMPDIR:-/tmp}/convict_slurm.XXXXXX")
# shellcheck source=tests/deploy/slurm_cluster.sh
source "$tests/slurm_cluster.sh"

export CONVICT FLAGS FUZZ_FLAGS REPLAY PROFILE=smoke SEED=7 JOBS=1 SHARDS=2 CASES=${CASES:-40000}
CONVICT=$(realpath "$1")
FLAGS="--plugin $(realpath "$2") --target D11,D12 --oracle none"
FUZZ_FLAGS='--shrink none'  # how far shrinking gets in its time would depend on how busy the machine is
REPLAY=$work/replay.cases
echo 'conv1d in=3' >"$REPLAY"

finish() {
  local code=$?
  stop_cluster
  if [ $code -eq 0 ]; then rm -rf "$work"; else echo "left for inspection: $work" >&2; fi
}
trap finish EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

contents() { sqlite3 "$1" <"$tests/contents.sql"; }
findings() { grep -Ev '^(outcomes|coverage)\|' "$1"; }
job_says() { [[ $(scontrol --oneliner show job "$1") =~ $2 ]]; }
cases_done() { [ "$(sqlite3 "$1" "SELECT sum(counts ->> 'cases') FROM campaigns" 2>/dev/null || echo 0)" -ge "$2" ]; }

state_of() { sqlite3 "$1" 'SELECT state FROM campaigns'; }

night_here() {
  NIGHT=$work/here DB=$work/here.db "$deploy/night.sh" all >"$work/here.log" 2>&1 &&
    fail 'a night with two faulty kernels is green'
  [ -s "$work/here.db" ] || fail "no database of the local night: $(tail -3 "$work/here.log")"
  contents "$work/here.db" >"$work/here.txt"
  grep -q '^mismatch|D11|' "$work/here.txt" || fail 'D11 was not found, so there is nothing to compare'
}

# submit NAME: sets the job ids tasks and merge.
submit() {
  local said
  said=$(NIGHT=$work/$1 DB=$work/$1.db "$deploy/slurm/submit.sh" | tail -1)
  [[ $said =~ ^job\ ([0-9]+):\ replay\ and\ shards\ 1-2\;\ job\ ([0-9]+):\ merge$ ]] || fail "submit.sh said: $said"
  tasks=${BASH_REMATCH[1]} merge=${BASH_REMATCH[2]}
}

await_night() {  # name
  await 'the end of the night' job_says "$merge" 'JobState=(COMPLETED|FAILED)'
  job_says "$merge" ' ExitCode=1:0 ' || fail "a red night is no failed job: $(tail -3 "$work/$1/merge.log")"
  ls "$work/$1/report"/* >/dev/null || fail 'no report'
  contents "$work/$1.db" >"$work/$1.txt"
}

requeue_shard_1() {  # name
  await 'the first cases of shard 1' cases_done "$work/$1/shard-1/shard.db" 1
  scontrol requeue "${tasks}_1"
  await 'the end of what was requeued' job_says "${tasks}_1" JobState=PENDING
  [ "$(state_of "$work/$1/shard-1/shard.db")" != finished ] || fail 'shard 1 was through before: give it more CASES'
  scontrol update "JobId=${tasks}_1" StartTime=now  # Slurm would wait two minutes
}

refused_submission() {
  local code=0
  NIGHT=$work/bad DB=$work/bad.db "$deploy/slurm/submit.sh" --partition=nowhere >/dev/null 2>&1 || code=$?
  [ $code = 2 ] || fail "a partition that does not exist ends submit.sh with $code"
  no_jobs || fail 'a refused submission left jobs'
}

same_contents() {
  submit there
  await_night there
  diff "$work/here.txt" "$work/there.txt" || fail 'the night on Slurm differs from the one here'
  # The comparison sees a single hit that is counted twice.
  sqlite3 "$work/there.db" 'UPDATE mismatches SET hits = hits + 1 WHERE id = 1'
  if contents "$work/there.db" | cmp -s - "$work/here.txt"; then fail 'the comparison does not see a difference'; fi
}

# What was in flight when a worker died may be missing from coverage and from the counts by outcome, and from nothing
# else (docs/background/store-format.md, decision 18).
same_findings() {
  submit requeued
  requeue_shard_1 requeued
  await_night requeued
  diff <(findings "$work/here.txt") <(findings "$work/requeued.txt") || fail 'the requeued shard found something else'
}

night_here
start_cluster "$work/cluster"
refused_submission
same_contents
same_findings
echo "passed: $(grep -c . "$work/here.txt") rows are the same"
