#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A night of convict: replay what must keep working, fuzz in shards, merge, report, fail on what is new. One machine
# runs `night.sh all`; CI's matrix and batch schedulers run the same phases by themselves: docs/nightly.md.
#
# Everything of a night is in one folder. Phases that are done leave a file NAME.exit with their exit code, so whatever
# is killed can be called again and goes on. Shards work on copies of the database, and touch nothing else.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
: "${TIME:=10m}" "${SHARDS:=2}" "${DB:=nightly.db}" "${NIGHT:=night}" "${CASES:=}" "${SEED:=}" "${PROFILE:=all}"
: "${FLAGS:=}" "${FUZZ_FLAGS:=}" "${JOBS:=}" "${CONVICT:=$root/build/release/convict}"
: "${REPLAY:=$root/corpus/seeds $root/corpus/networks $root/corpus/regressions $root/corpus/transfer}"
readonly CORPUS=${DB%.db}.corpus
# shellcheck source=deploy/night/plan.sh
. "$root/deploy/night/plan.sh"
# shellcheck source=deploy/night/result.sh
. "$root/deploy/night/result.sh"

usage() {
  cat << 'END'
A night of convict: replay, fuzz in shards, merge, report; fails on mismatches that nobody has triaged
Usage: deploy/night.sh [--wait] [--require] all | plan | replay | shard I | merge | report

  all       the whole night on this machine; goes on with a night that was interrupted or killed
  plan      check the settings, copy database and corpus, write NIGHT/plan, which holds from then on
  replay    run the cases of REPLAY
  shard I   fuzz the I-th of SHARDS parts, by the generator and, if convict-guided is there, by libFuzzer
  merge     add the shards to DB, and their corpora to its corpus
  report    write NIGHT/report, NIGHT/new.cases and NIGHT/new, close the night, exit with what it came to

  --wait    if another night works on DB, wait for it instead of saying so
  --require fail with 125 if LibTorch, oneDNN or convict-guided is missing, instead of doing without

Environment (or variables of `make nightly`):
  TIME=10m       of each shard: 30s, 10m, 8h; a third of it is libFuzzer's
  CASES=         instead of TIME: as many cases of the generator, all shards together, and no libFuzzer
  SHARDS=2       parts, side by side in `all`
  DB=nightly.db  what nights remember; its corpus is beside it, in nightly.corpus
  NIGHT=night    folder of the night; one that is closed is replaced
  JOBS=          workers of a shard [in `all` the processors divided by SHARDS, otherwise all of them]
  SEED=          of the campaigns [the time, so that nights differ]
  PROFILE=all    what the generator samples
  FLAGS=         of fuzz and replay: who is on trial, e.g. '--plugin ./mine.so --oracle onednn'
  FUZZ_FLAGS=    of fuzz only, e.g. '--shrink 5m'
  REPLAY=        files and folders of cases [corpus/seeds corpus/networks corpus/regressions
                 corpus/transfer]
  CONVICT=       the program [build/release/convict]

Exit codes: 0 clean, 1 a target has a new mismatch or the replay failed, 2 usage, 125 something could not be judged,
130 interrupted: the same command goes on
END
}

say() { printf 'night: %s\n' "$*" >&2; }
fail() {  # code, message
  say "${@:2}"
  exit "$1"
}

need_programs() {
  local pair
  for pair in jq:jq sqlite3:sqlite3 flock:util-linux setpriv:util-linux; do
    command -v "${pair%%:*}" > /dev/null || fail 2 "'${pair%%:*}' is missing; valid: install the package ${pair#*:}"
  done
  [ -x "$CONVICT" ] || fail 2 "CONVICT: '$CONVICT' is not a program; valid: build it (make build), or name it"
}

# Held by this process and all it starts: nobody else works on a database while a shard of a killed night still ends.
lock_database() {
  [ -z "${locked:-}" ] || return 0
  exec 9> "$DB.lock" || fail 2 "DB: '$DB.lock' cannot be written; valid: a database in a writable folder"
  if [ -z "$may_wait" ]; then
    flock -w 5 9 || fail 2 "another night works on '$DB'; valid: --wait, or another DB"
  elif ! flock -n 9; then
    say "waiting for another night that works on '$DB'"
    flock 9
  fi
  locked=yes
}

# ---- Phases ----------------------------------------------------------------------------------------------------------

# Calls convict and leaves NAME.exit, unless that is there already. Anything but a verdict ends this process: then the
# phase is not done. What convict says goes to NAME.log. If this process is killed, so is convict.
phase() {  # name, then arguments
  local name=$1 code=0
  [ ! -f "$name.exit" ] || return 0
  setpriv --pdeathsig TERM "$CONVICT" "${@:2}" 2>> "$name.log" || code=$?
  case $code in
    0 | 1 | 125) echo "$code" > "$name.exit" ;;
    130 | 143) exit 130 ;;
    *) fail "$code" "$name: convict ended with $code: $(tail -n 1 "$name.log")" ;;
  esac
}

replay() {
  need_plan
  local flags cases
  read -ra flags <<< "$(planned flags)"
  read -ra cases <<< "$REPLAY"
  phase "$NIGHT/replay" replay --relations all "${cases[@]}" "${flags[@]}" -j "${JOBS:-$(nproc)}" -q -o "$NIGHT/replay.txt"
  say "replay: $(tail -n 1 "$NIGHT/replay.txt"), exit code $(cat "$NIGHT/replay.exit")"
}

own_campaign() {  # database, engine -> "id state", if this night has begun one; the base may have older unfinished ones
  [ ! -f "$1" ] || sqlite3 -separator ' ' "$1" "SELECT id, state FROM campaigns WHERE seed = '$(planned seed)'
    AND ifnull(flags ->> 'engine', 'generator') = '$2' ORDER BY id DESC LIMIT 1"
}

fuzz() {  # folder, engine, then arguments
  local folder=$1 engine=$2 id='' state='' flags
  [ ! -f "$folder/$engine.exit" ] || return 0
  read -r id state <<< "$(own_campaign "$folder/shard.db" "$engine")"
  if [ "$state" = finished ]; then  # killed in between; what it found is in the database, where `report` looks
    echo 0 > "$folder/$engine.exit"
    return
  fi
  read -ra flags <<< "$(planned flags) $(planned fuzz_flags)"
  phase "$folder/$engine" fuzz --engine "$engine" --db "$folder/shard.db" --seed "$(planned seed)" "${@:3}" \
    -j "${JOBS:-$(nproc)}" "${flags[@]}" ${id:+"--resume=$id"} --format json -o "$folder/$engine.json"
  say "$folder, $engine: $(jq -r '"\(.cases) cases, \(.judged) judged, \(.mismatches | length) signatures"' \
    "$folder/$engine.json"), exit code $(cat "$folder/$engine.exit")"
}

begin_shard() {  # folder
  mkdir -p "$1"
  exec 8> "$1/lock"
  flock -n 8 || fail 2 "'$1' is at work already"
  [ -f "$1/begun" ] && return
  rm -rf "$1"/shard.*
  [ ! -f "$NIGHT/base.db" ] || "$CONVICT" merge "$1/shard.db" "$NIGHT/base.db" > "$1/base.log"
  [ ! -d "$NIGHT/base.corpus" ] || cp -r "$NIGHT/base.corpus" "$1/shard.corpus"
  touch "$1/begun"
}

shard() {  # number
  need_plan
  local shards budget guided
  shards=$(planned shards) guided=$(planned guided)
  if ! [[ ${1:-} =~ ^[1-9][0-9]{0,3}$ ]] || [ "$1" -gt "$shards" ]; then
    fail 2 "shard: '${1:-}' is not valid; valid: 1 to $shards"
  fi
  local folder=$NIGHT/shard-$1 part=(--shard "$1/$shards")
  budget=$(seconds "$(planned time)")
  begin_shard "$folder"
  local for_guided=$((budget / 3))
  [ "$guided" = yes ] || for_guided=0
  local limit=(--time "$((budget - for_guided))s")
  [ -z "$(planned cases)" ] || limit=(--cases "$(planned cases)")
  fuzz "$folder" generator "${part[@]}" --profile "$(planned profile)" "${limit[@]}"
  [ "$guided" != yes ] || fuzz "$folder" libfuzzer "${part[@]}" --time "${for_guided}s"
  touch "$folder/done"
}

all_shards() {  # sets shards_code, to that of a shard that came to no verdict
  local i pid pids=() one
  shards_code=0
  : "${JOBS:=$(($(nproc) / $(planned shards)))}"
  export JOBS=$((JOBS > 0 ? JOBS : 1))
  # shellcheck disable=SC2317  # called by the trap
  stop() {
    kill -TERM "${pids[@]}" 2> /dev/null || true
    wait
    fail 130 'interrupted; the same command goes on'
  }
  trap stop INT TERM
  for ((i = 1; i <= $(planned shards); ++i)); do
    setpriv --pdeathsig TERM "$root/deploy/night.sh" shard "$i" &
    pids+=("$!")
  done
  for pid in "${pids[@]}"; do
    one=0
    wait "$pid" || one=$?
    [ "$one" = 0 ] || shards_code=$one
  done
  trap - INT TERM
}

merge() {
  need_plan
  lock_database
  local i databases=()
  for ((i = 1; i <= $(planned shards); ++i)); do
    [ ! -f "$NIGHT/shard-$i/shard.db" ] || databases+=("$NIGHT/shard-$i/shard.db")
  done
  [ ! -f "$NIGHT/base.db" ] || databases+=("$NIGHT/base.db")  # if DB was not restored here
  [ "${#databases[@]}" -gt 0 ] || fail 125 "no shard has left a database in '$NIGHT'"
  "$CONVICT" merge "$DB" "${databases[@]}" >&2
  for ((i = 1; i <= $(planned shards); ++i)); do
    [ -d "$NIGHT/shard-$i/shard.corpus" ] || continue
    mkdir -p "$CORPUS"
    cp -rn "$NIGHT/shard-$i/shard.corpus/." "$CORPUS/"  # names are hashes of what is in them
  done
}

all() {
  plan
  sed 's/^/night: NOTE: /' "$NIGHT/notes" >&2
  replay
  all_shards
  [ "$shards_code" != 130 ] || exit 130
  merge
  report
  [ "$result" = 1 ] || [ "$shards_code" = 0 ] || result=$shards_code
}

main() {
  may_wait='' require='' result=0
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) usage && exit 0 ;;
      --wait) may_wait=yes ;;
      --require) require=yes ;;
      -*) fail 2 "unknown flag '$1'; --help shows all" ;;
      *) break ;;
    esac
    shift
  done
  case ${1:-} in
    all | plan | replay | merge | report) [ $# = 1 ] || fail 2 "$1: takes no arguments, not '$2'" ;;
    shard) [ $# = 2 ] || fail 2 'shard: takes one number' ;;
    *) fail 2 "'${1:-}' is no phase; valid: all, plan, replay, shard I, merge, report; --help says more" ;;
  esac
  need_programs
  case $1 in
    all) all ;;
    plan) plan ;;
    replay) replay ;;
    shard) shard "$2" ;;
    merge) merge ;;
    report) report ;;
  esac
  exit "$result"
}

main "$@"
