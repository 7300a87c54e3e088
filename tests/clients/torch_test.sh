#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# PyTorch through its client computes ordinary problems as the exact reference does, in each way that takes them.
#     tests/clients/torch_test.sh CONVICT SOURCE_FOLDER
# Exit codes: 0 it does, 1 it does not, 77 it is not installed (make torch).
set -u

convict=$1
source=$2
python=$source/build/venvs/torch/bin/python
if ! "$python" -c 'import torch' 2> /dev/null; then
  echo 'skipped: PyTorch is not installed; make torch does it'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/all.cases" << 'END'
conv1d n=2 ic=3 oc=4 in=9 k=3 s=2 bias
conv2d n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:-1x2:1 bias view=src+dst
conv2d ic=3 oc=2 in=8 k=4 p=same_upper fill=normal
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 dt=f64
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x2 s=2x1 p=1:0x1:1 op=1x0 bias
conv_transpose3d g=3 ic=3 oc=6 in=3x2x4 k=2 s=2 d=2x1x1 lay=ndhwc:iodhw:ncdhw
conv2d.backward_data n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1
conv2d.backward_weights n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:0x2:1 bias
conv2d.backward_weights n=2 ic=4 oc=6 in=8x7 k=3x2 p=1
conv_transpose2d.backward_data ic=3 oc=2 in=4x5 k=3x2 s=2x1 p=1:0x1:1
conv_transpose1d.backward_weights n=3 ic=3 oc=2 in=6 k=4 s=3 p=1 op=2
conv2d in=3 k=5 => refused
END
cat > "$work/fused.cases" << 'END'
conv2d n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1 bias relu beta=1
conv_transpose3d n=2 ic=3 oc=4 in=3x2x4 k=2 s=2 p=1 bias relu
END
cat > "$work/quantized.cases" << 'END'
conv2d n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 p=1:0x2:1 relu dt=u8:s8:u8 zp=3:4 scale=channel
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 p=1 dt=u8:s8:u8
END
failed=0
try() {  # try FILE IMPLEMENTATION...: what an implementation refuses is passed over, but not all of it
  cases=$1
  shift
  for one in "$@"; do
    "$convict" replay "$work/$cases" --command "'$python' '$source/clients/torch/client.py'" --target "torch:$one" \
      --oracle none --relations none --timeout 120s -q | tee "$work/output" || failed=1
    grep -q '^.*cases: [1-9].* judged' "$work/output" && grep -q ' 0 with a mismatch of a target' "$work/output" || failed=1
  done
}
try all.cases eager native channels-last autograd grad vmap-images vmap-filters vmap-groups
try fused.cases fused compile
grep -q vnni /proc/cpuinfo && try quantized.cases x86 fbgemm onednn qconv
try quantized.cases qnnpack
exit "$failed"
