# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What a night came to: reports, the cases that are new, and the exit code. A part of night.sh, which reads it.

write_reports() { "$CONVICT" report --db "$DB" --all "$NIGHT/report" -q; }

tonight() { echo "(SELECT id FROM campaigns WHERE seed = '$(planned seed)')"; }

# What makes a night red, by the rule of `convict fuzz`: rows of targets that its campaigns saw and nobody has settled,
# or that are back after a fix. `list` and not SQL, because a status may hold for some versions only.
list_new() {
  local seen first
  seen=$(sqlite3 "$DB" "SELECT json_group_array(DISTINCT mismatch) FROM sightings WHERE campaign IN $(tonight)")
  first=$(sqlite3 "$DB" "SELECT json_group_array(id) FROM mismatches WHERE first_campaign IN $(tonight)")
  "$CONVICT" list mismatches --db "$DB" --format json |
    jq --argjson seen "$seen" --argjson first "$first" '[.[] | select(.status == "new" or .status == "fixed")
      | select(.blame == "target" or .blame == "reference") | select(.id as $id | $seen | index($id))
      | .first_seen_tonight = (.id as $id | $first | index($id) != null)]' > "$NIGHT/new.json"
}

write_new_cases() {
  local id format
  rm -rf "$NIGHT/new" "$NIGHT/new.cases"
  mkdir "$NIGHT/new"
  for id in $(jq '.[].id' "$NIGHT/new.json"); do
    "$CONVICT" keep "$id" --db "$DB" --corpus "$NIGHT" --name new.cases > /dev/null
    "$CONVICT" show "$id" --db "$DB" --format json -o "$NIGHT/new/$id.json"
    for format in pytorch:py onednn:onednn.cpp benchdnn:benchdnn.txt cpp:cpp; do  # some cannot say every case, and leave nothing then
      "$CONVICT" export "$id" --db "$DB" --to "${format%%:*}" -o "$NIGHT/new/$id.${format#*:}" 2> /dev/null ||
        [ $? = 125 ]
    done
  done
}

unfinished() {  # phases without a verdict
  local i
  [ -f "$NIGHT/replay.exit" ] || echo 'the replay'
  for ((i = 1; i <= $(planned shards); ++i)); do
    [ -f "$NIGHT/shard-$i/done" ] || echo "shard $i"
  done
}

exit_code() {
  local codes
  codes=$(find "$NIGHT" -maxdepth 2 -name '*.exit' -exec cat {} +)
  if [ "$(jq length "$NIGHT/new.json")" != 0 ] || grep -qx 1 <<< "$codes"; then
    echo 1
  elif [ -n "$(unfinished)" ] || grep -qx 125 <<< "$codes"; then
    echo 125
  else
    echo 0
  fi
}

summary() {  # exit code
  local counts regressions=missing first causes all
  [ ! -f "$NIGHT/replay.exit" ] || regressions="exit code $(cat "$NIGHT/replay.exit")"
  jq -r '.[] | "new: #\(.id) \(.suspect) \(.verdict)" + if .first_seen_tonight then ", first seen tonight" else "" end
    + ": \(.case)"' "$NIGHT/new.json"
  sqlite3 "$DB" "SELECT printf('not seen any more: #%d %s %s, gone since %s', id, suspect, verdict, gone)
    FROM mismatches WHERE gone <> '' AND gone_at >= '$(planned started)'"
  sort -u "$NIGHT/notes" | sed 's/^/NOTE: /'
  unfinished | sed 's/^/NOTE: not finished: /'
  counts=$(sqlite3 "$DB" "SELECT printf('%d cases, %d judged', sum(counts ->> 'cases'), sum(counts ->> 'judged'))
    FROM campaigns WHERE seed = '$(planned seed)'")
  first=$(jq 'map(select(.first_seen_tonight)) | length' "$NIGHT/new.json")
  causes=$(jq 'map(.cause // "row \(.id)") | unique | length' "$NIGHT/new.json")
  all=$(sqlite3 "$DB" "SELECT count(DISTINCT mismatch) FROM sightings WHERE campaign IN $(tonight)")
  echo "night of $(planned started), seed $(planned seed): $all mismatches, $(jq length "$NIGHT/new.json") of them new and" \
    "of a target, of $causes causes, $first first seen tonight; $counts in $(planned shards) shards; replay: $regressions;" \
    "report in $NIGHT/report; exit code $1"
}

report() {
  need_plan
  lock_database
  [ -f "$DB" ] || fail 2 "DB: '$DB' does not exist; valid: deploy/night.sh merge first"
  write_reports
  list_new
  write_new_cases
  result=$(exit_code)
  summary "$result" > "$NIGHT/summary.txt"
  cat "$NIGHT/summary.txt"
  [ -n "$(unfinished)" ] || touch "$NIGHT/closed"
}
