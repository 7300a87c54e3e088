#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# TensorFlow through its client computes ordinary problems as the exact reference does, in each way that takes them.
#     tests/clients/tensorflow_test.sh CONVICT SOURCE_FOLDER
# Exit codes: 0 it does, 1 it does not, 77 it is not installed (make tensorflow).
set -u

convict=$1
source=$2
python=$source/build/venvs/tensorflow/bin/python
if ! "$python" -c 'import tensorflow' 2> /dev/null; then
  echo 'skipped: TensorFlow is not installed; make tensorflow does it'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/all.cases" << 'END'
conv1d n=2 ic=3 oc=4 in=9 k=3 s=2 p=1:0 bias
conv2d n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:0x2:1 bias view=src+dst
conv2d n=2 g=3 ic=3 oc=6 in=8x7 k=3x2 p=same_upper bias fill=normal
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 s=2 p=1 dt=f64
conv_transpose1d ic=2 oc=3 in=4 k=3 s=2 op=1
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x2 s=2x1 p=1:0x1:1 op=1x0 bias
conv_transpose3d n=2 ic=3 oc=4 in=3x2x4 k=2 s=2
conv2d.backward_data n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1
conv2d.backward_weights n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1
conv2d.backward_weights n=2 g=3 ic=3 oc=6 in=8x7 k=3x2 p=1:0x2:1 bias
conv3d.backward_data n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 s=2x1x1 p=same_upper
conv_transpose2d.backward_weights ic=3 oc=2 in=4x5 k=3x2 s=2x1 p=1:0x1:1
conv2d in=3 k=5 => refused
END
failed=0
try() {  # try FILE IMPLEMENTATION...: what an implementation refuses is passed over, but not all of it
  cases=$1
  shift
  for one in "$@"; do
    "$convict" replay "$work/$cases" --command "'$python' '$source/clients/tensorflow/client.py'$options" --target "tf:$one" \
      --oracle none --relations none --timeout 120s -q | tee "$work/output" || failed=1
    grep -q '^.*cases: [1-9].* judged' "$work/output" && grep -q ' 0 with a mismatch of a target' "$work/output" || failed=1
  done
}
options=
try all.cases eager nchw raw depthwise graph xla
options=' eigen'
try all.cases eager:eigen raw:eigen depthwise:eigen graph:eigen
exit "$failed"
