#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenCV.js through its client computes ordinary problems as the exact reference does. A fault of it ends the client, so
# that it costs no other problem its verdict.
#     tests/clients/opencvjs_test.sh CONVICT SOURCE_FOLDER
# Exit codes: 0 it does, 1 it does not, 77 it is not installed (make js).
set -u

convict=$1
source=$2
if ! [ -e "$source/build/js/node_modules/@techstark" ] || ! command -v node > /dev/null; then
  echo 'skipped: OpenCV.js is not installed; make js does it'
  exit 77
fi
cases=$(mktemp --suffix .cases)
trap 'rm -f "$cases" "$cases.txt"' EXIT
cat > "$cases" << 'END'
conv1d n=2 ic=3 oc=4 in=9 k=3 s=2 bias
conv2d n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1 bias
conv2d g=3 ic=3 oc=6 in=8x7 k=3x2 d=2x1 fill=normal
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x2 s=2x1 p=1 op=1x0
END
"$convict" replay "$cases" --target opencvjs --oracle none --relations none -v || exit 1

cat > "$cases" << 'END'
conv_transpose2d oc=4 in=7x7 p=1x1
conv2d in=5x5 k=3x3
END
"$convict" replay "$cases" --target opencvjs --oracle none --relations none > "$cases.txt"
cat "$cases.txt"
if ! grep -q 'crash' "$cases.txt" || ! grep -q '1 with a mismatch of a target' "$cases.txt"; then
  echo 'a fault of the library has to be a crash, and of its own problem alone'
  exit 1
fi
