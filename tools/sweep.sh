#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every library on this machine on trial, one after the other; all others are witnesses, beside the exact reference:
#     tools/sweep.sh CONVICT DATABASE TIME
# TIME is that of each: 10m. Clients that are installed are on trial as well, but are no witnesses: some take seconds for a
# case. Known causes are counted, and what is new is shrunk and explained. One database for all; a page beside it. FUZZ_FLAGS
# in the environment are for each campaign: '--seed 2 -j 1'. Exit codes: 0 nothing new, 1 something new, else an error.
set -eu
: "${FUZZ_FLAGS:=}"

[ $# = 3 ] || { echo "usage: $0 CONVICT DATABASE TIME" >&2; exit 2; }
convict=$1
database=$2
time=$3

listed=$("$convict" list --format json)
names=$(echo "$listed" | jq -r '.[] | select(.client == null and .lineage != "convict") | .name')
clients=$(echo "$listed" | jq -r '[.[] | select(.client != null and .installed) | .client] | unique[]')
# ggml has a library for each kind of processor: as a witness, the one for all of them speaks for them.
witnesses=$(echo "$names" | sed '/^ggml:/{/^ggml:x64/!d;}')
new=0

# on_trial LIBRARY OPTION...: a campaign, with the witnesses of other libraries.
on_trial() {
  library=$1
  shift
  others=$(echo "$witnesses" | grep -v "^$library\(:\|\$\)" | paste -s -d ,)
  echo "sweep: $library"
  code=0
  # shellcheck disable=SC2086  # several words
  "$convict" fuzz "$@" $FUZZ_FLAGS --oracle "${others:-none}" --profile all --time "$time" --db "$database" -q ||
    code=$?
  case $code in
    0 | 125) ;;
    1) new=1 ;;
    *) exit "$code" ;;
  esac
}

on_trial native --target native
for library in $(echo "$names" | cut -d : -f 1 | sort -u); do
  on_trial "$library" --target "$(echo "$names" | grep "^$library\(:\|\$\)" | paste -s -d ,)"
done
for client in $clients; do
  on_trial "$client" --target "$client:*"
done
"$convict" report --db "$database" --format html -o "${database%.db}.html"
exit "$new"
