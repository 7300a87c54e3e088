#!/usr/bin/env bash
# Every legal case of the given corpus files, computed by all native kernels under valgrind's memory checker: what
# sanitizers of a build cannot see, such as sums that use memory nobody has written. Minutes; not part of CTest.
#   tests/valgrind_test.sh build/release/convict corpus/seeds/*.cases
set -euo pipefail
convict=$1
shift
export convict
judge() {
  valgrind -q --error-exitcode=99 "$convict" repro --in-process --target native --oracle none -q "$1" > "$2" 2>&1 || {
    echo "exit code $? of: $1"
    tail -5 "$2"
    return 1
  }
}
export -f judge
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
cases=$(sed 's/[[:space:]]*#.*//; /=> refused/d; s/ =>.*//; /^[[:space:]]*$/d' "$@" | sort -u)
count=$(wc -l <<< "$cases")
export directory
xargs -d '\n' -P "$(nproc)" -I{} bash -c 'judge "$1" "$(mktemp -p "$directory")"' _ {} <<< "$cases" ||
  { echo "valgrind: failures among $count cases"; exit 1; }
echo "valgrind: $count cases, no error"
