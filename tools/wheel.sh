#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel, which has the program in it, and moves it to FOLDER:
#     tools/wheel.sh TOOLS FOLDER
# TOOLS is a virtual environment with tools/wheel_requirements.txt. The wheel carries the libraries of this machine's
# distribution that the program needs, but for the C and C++ libraries; so it runs wherever those are at least as new.
set -euo pipefail

[ $# = 2 ] || { echo "usage: $0 TOOLS FOLDER" >&2; exit 2; }
tools=$(realpath "$1")
folder=$(realpath -m "$2")
most_bytes=25000000
cd "$(dirname "$0")/.."
rm -rf "$folder/parts"
mkdir -p "$folder/parts"
"$tools/bin/python" -m build --wheel --no-isolation -o "$folder/parts/built" .
PATH=$tools/bin:$PATH "$tools/bin/python" -m auditwheel repair -w "$folder/parts/repaired" "$folder"/parts/built/*.whl
"$tools/bin/python" tools/wheel_parts.py "$folder"/parts/repaired/*.whl build/wheel-program
rm -f "$folder"/*.whl
mv "$folder"/parts/repaired/*.whl "$folder"
rm -rf "$folder/parts"
wheel=$(ls "$folder"/*.whl)
bytes=$(stat -c %s "$wheel")
[ "$bytes" -le $most_bytes ] || { echo "$wheel has $bytes bytes; at most $most_bytes are wanted" >&2; exit 1; }
echo "$wheel: $bytes bytes"
