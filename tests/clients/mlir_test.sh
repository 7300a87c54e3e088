#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# MLIR through its client computes ordinary problems of all operations as the exact reference does, by each pipeline that
# is right for them.
#     tests/clients/mlir_test.sh CONVICT
# Exit codes: 0 it does, 1 it does not, 77 it is not installed (make mlir).
set -u

convict=$1
python=/usr/bin/python3
if ! command -v mlir-opt-22 mlir-runner-22 > /dev/null || ! "$python" -c 'import numpy' 2> /dev/null; then
  echo 'skipped: MLIR 22 is not installed; make mlir does it'
  exit 77
fi
cases=$(mktemp --suffix .cases)
trap 'rm -f "$cases"' EXIT
cat > "$cases" << 'END'
conv1d n=2 ic=3 oc=4 in=9 k=3 s=2 bias
conv2d n=2 ic=2 oc=3 in=7 k=3 p=1 bias fill=normal
conv2d n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:-1x2:1 bias
conv2d g=3 ic=3 oc=6 in=8x7 k=3x2 d=2x1 p=1:0x2:1 fill=normal
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 p=valid dt=f64
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x2 s=2x1 p=1:0x1:1 op=1x0 bias
conv_transpose3d g=3 ic=3 oc=6 in=3x2x4 k=2 s=2 d=2x1x1 lay=ndhwc:iodhw:ncdhw
conv2d.backward_data n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1
conv2d.backward_weights n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:0x2:1
conv_transpose2d.backward_data ic=3 oc=2 in=4x5 k=3x2 s=2x1 p=1:0x1:1
conv_transpose1d.backward_weights n=3 ic=3 oc=2 in=6 k=4 s=3 p=1 op=2
conv2d in=3 k=5 => refused
END
failed=0
for pipeline in loops affine im2col winograd2 winograd4 tosa; do
  "$convict" replay "$cases" --target "mlir:$pipeline" --oracle none --relations none -q || failed=1
done
exit "$failed"
