# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What the tests of deploy/ have in common: a folder of their own, and checks that say what they saw. Read by them.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d)
children=()

clean_up() {
  [ "${#children[@]}" = 0 ] || kill -9 "${children[@]}" 2> /dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

flunk() {
  printf 'FAILED in line %s: %s\n' "${BASH_LINENO[1]}" "$*" >&2
  [ ! -f out ] || tail -n 20 out err >&2
  exit 1
}
expect_equal() { [ "$1" = "$2" ] || flunk "'$1' is not '$2'"; }
expect_contains() { grep -qF -- "$2" "$1" || flunk "'$1' does not contain '$2': $(head -c 2000 "$1")"; }
expect_file() { [ -s "$1" ] || flunk "'$1' is missing or empty"; }
expect_absent() { [ ! -e "$1" ] || flunk "'$1' is there"; }

# Runs a command and wants this exit code; its output is in `out` and `err`.
expect_code() {  # code, then the command
  local code=0
  "${@:2}" > out 2> err || code=$?
  [ "$code" = "$1" ] || flunk "exit code $code instead of $1: ${*:2}"
}
