#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# TensorFlow.js through its client computes ordinary problems as the exact reference does.
#     tests/clients/tfjs_test.sh CONVICT SOURCE_FOLDER
# Exit codes: 0 it does, 1 it does not, 77 it is not installed (make js).
set -u

convict=$1
source=$2
if ! [ -e "$source/build/js/node_modules" ] || ! command -v node > /dev/null; then
  echo 'skipped: TensorFlow.js is not installed; make js does it'
  exit 77
fi
cases=$(mktemp --suffix .cases)
trap 'rm -f "$cases"' EXIT
cat > "$cases" << 'END'
conv1d n=2 ic=3 oc=4 in=9 k=3 s=2 bias
conv2d n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1 bias
conv2d g=3 ic=3 oc=6 in=8x7 k=3x2 d=2x1 p=1:0x2:1 fill=normal
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 p=valid fill=normal
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x2 s=2x1 p=1:0x1:1 op=1x0
conv2d.backward_data n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1
END
"$convict" replay "$cases" --target tfjs --oracle none --relations none -v
