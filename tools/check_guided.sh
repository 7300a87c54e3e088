#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whether a guided worker works: a short campaign in a scratch folder. Tests have a worker without libFuzzer, whose
# flags nobody else tries.
#     tools/check_guided.sh CONVICT CONVICT_GUIDED
set -eu
[ $# -eq 2 ] || { echo "usage: $0 CONVICT CONVICT_GUIDED" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
CONVICT_GUIDED=$(realpath "$2")
export CONVICT_GUIDED
"$1" fuzz --engine libfuzzer --corpus "$scratch/corpus" --db "$scratch/c.db" --target direct --oracle none --cases 300 \
  --shrink none -j 1 -q > "$scratch/report" 2>&1 ||
  { cat "$scratch/report"; echo "$2 does not work" >&2; exit 1; }
