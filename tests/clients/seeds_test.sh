#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of docs/seeds.md is what the frameworks answer, in the versions that it names.
#     tests/clients/seeds_test.sh CONVICT SOURCE_FOLDER
# Exit codes: 0 it is, 1 it is not, 77 a framework is not installed.
set -u

convict=$1
cd "$2" || exit 1
for client in tvm torch tensorflow paddle jax; do
  "$convict" repro 'conv1d in=1 k=1' --target $client --oracle none -q > /dev/null
  [ $? = 125 ] && exit 77  # convict cannot judge, and has said why
done
page=$(mktemp)
now=$(mktemp)
trap 'rm -f "$page" "$now"' EXIT
sed -n '/^<!-- measured -->$/,/^<!-- end -->$/p' docs/seeds.md | sed -e '/^<!--/d' -e '/^Measured on/d' > "$page"
tools/seeds.py "$convict" | sed '/^Measured on/d' > "$now"
if ! [ -s "$page" ] || ! diff "$page" "$now"; then
  echo "docs/seeds.md says something else; \`make seeds\` rewrites its table"
  exit 1
fi
