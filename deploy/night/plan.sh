# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# The plan of a night: its settings, checked, with copies of the database and the corpus that all shards begin with. A
# part of night.sh, which reads it.

planned() { sed -n "s/^$1=//p" "$NIGHT/plan"; }
is_open() { [ -f "$NIGHT/plan" ] && [ ! -f "$NIGHT/closed" ]; }
need_plan() { [ -f "$NIGHT/plan" ] || fail 2 "'$NIGHT' has no plan; valid: deploy/night.sh plan first"; }

seconds() {  # 30s, 10m, 8h
  [[ $1 =~ ^([1-9][0-9]{0,5})([smh])$ ]] || fail 2 "TIME: '$1' is not valid; valid: 30s, 10m, 8h"
  local -A unit=([s]=1 [m]=60 [h]=3600)
  echo $((BASH_REMATCH[1] * unit[${BASH_REMATCH[2]}]))
}

check_settings() {
  local time
  time=$(seconds "$TIME")
  [ "$time" -ge 3 ] || fail 2 "TIME: '$TIME' is too short; valid: 3s or more"
  [[ $SHARDS =~ ^[1-9][0-9]{0,3}$ ]] || fail 2 "SHARDS: '$SHARDS' is not valid; valid: 1 to 9999"
  [[ $CASES =~ ^([1-9][0-9]{0,17})?$ ]] || fail 2 "CASES: '$CASES' is not valid; valid: a positive number"
  [[ $SEED =~ ^[0-9]{0,18}$ ]] || fail 2 "SEED: '$SEED' is not valid; valid: a number of up to 18 digits"
  [[ "$FLAGS$FUZZ_FLAGS$PROFILE$DB" != *$'\n'* ]] || fail 2 'FLAGS, FUZZ_FLAGS, PROFILE, DB: valid: one line each'
  [ -n "$SEED" ] || SEED=$(date +%s)
  # A night finds its own campaigns by their seed; and the same cases twice show nothing.
  if [ -f "$DB" ] && [ "$(sqlite3 "$DB" "SELECT count(*) FROM campaigns WHERE seed = '$SEED'")" != 0 ]; then
    fail 2 "SEED: '$DB' has campaigns of seed $SEED already; valid: another one"
  fi
}

# A campaign without cases: convict itself says what is wrong with the settings, and what is missing.
try_out() {  # folder, then flags
  local folder=$1 flags
  read -ra flags <<< "$FLAGS $FUZZ_FLAGS"
  "$CONVICT" fuzz --cases 0 --db "$folder/try.db" "${flags[@]}" "${@:2}" --format json -q -o "$folder/try.json"
}

find_out_what_is_missing() {  # folder; leaves notes in it, sets guided
  local folder=$1 code=0
  try_out "$folder" --profile "$PROFILE" || exit "$?"
  jq -r '.notes[] | select(startswith("judging without"))' "$folder/try.json" > "$folder/notes"
  [ -z "$require" ] || [ ! -s "$folder/notes" ] || fail 125 "$(head -n 1 "$folder/notes")"
  guided=no
  [ -z "$CASES" ] || return 0
  try_out "$folder" --engine libfuzzer 2> "$folder/try.err" || code=$?
  if [ "$code" = 0 ]; then
    guided=yes
  elif [ -n "$require" ] || [ -n "${CONVICT_GUIDED:-}" ]; then  # whoever names a program wants it
    cat "$folder/try.err" >&2
    exit "$([ -n "${CONVICT_GUIDED:-}" ] && echo "$code" || echo 125)"
  else
    echo "no guided phase: $(cat "$folder/try.err")" >> "$folder/notes"
  fi
}

clear_away() {
  [ -e "$NIGHT" ] || return 0
  [ -f "$NIGHT/closed" ] || rmdir "$NIGHT" 2> /dev/null ||
    fail 2 "NIGHT: '$NIGHT' is no folder of a night; valid: one that does not exist, or is empty"
  rm -rf "$NIGHT"
}

write_plan() {  # folder
  printf '%s\n' "db=$DB" "seed=$SEED" "shards=$SHARDS" "time=$TIME" "cases=$CASES" "profile=$PROFILE" "flags=$FLAGS" \
    "fuzz_flags=$FUZZ_FLAGS" "guided=$guided" "started=$(date -u +%FT%TZ)" > "$1/plan"
}

plan() {
  lock_database
  if is_open; then
    [ "$(planned db)" = "$DB" ] || fail 2 "'$NIGHT' is a night of '$(planned db)', not of '$DB'; valid: another NIGHT"
    say "going on with the night of $(planned started): $(planned shards) shards, TIME=$(planned time)" \
      "CASES=$(planned cases), seed $(planned seed); to begin another one, remove '$NIGHT'"
    return
  fi
  check_settings
  clear_away
  local draft=$NIGHT.draft
  rm -rf "$draft"
  trap 'rm -rf "$NIGHT.draft"' EXIT  # a plan that is refused leaves nothing
  mkdir -p "$draft"
  find_out_what_is_missing "$draft"
  rm -rf "$draft"/try.*
  [ ! -f "$DB" ] || "$CONVICT" merge "$draft/base.db" "$DB" > "$draft/base.log"
  [ ! -d "$CORPUS" ] || cp -r "$CORPUS" "$draft/base.corpus"
  write_plan "$draft"
  mv -T "$draft" "$NIGHT"
}
