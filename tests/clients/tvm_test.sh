#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# TVM through its client computes ordinary problems of all operations that it has as the exact reference does, by each
# way from them to code that is right for them.
#     tests/clients/tvm_test.sh CONVICT SOURCE_FOLDER
# Exit codes: 0 it does, 1 it does not, 77 it is not installed.
set -u

convict=$1
source=$2
python=$source/build/venvs/tvm/bin/python
if ! "$python" -c 'import tvm, onnx, scipy' 2> /dev/null; then
  echo "skipped: TVM is not installed; clients/tvm/requirements.txt says what belongs into build/venvs/tvm"
  exit 77
fi
cases=$(mktemp --suffix .cases)
trap 'rm -f "$cases"' EXIT
cat > "$cases" << 'END'
conv1d n=2 ic=3 oc=4 in=9 k=3 s=2
conv2d n=2 ic=2 oc=3 in=7 k=3 p=1 bias fill=normal
conv2d n=2 g=2 ic=8 oc=4 in=8x7 k=3x2 s=2x1 p=1:-1x2:1 bias relu lay=nhwc:hwio:nhwc
conv2d g=3 ic=3 oc=6 in=8x7 k=3x2 d=2x1 p=1:0x2:1 fill=normal
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 p=valid dt=f64
conv2d ic=3 oc=4 in=5x4 k=3x2 dt=f16
conv2d ic=3 oc=4 in=5x4 k=3x2 bias dt=bf16
conv2d ic=8 oc=4 in=5x4 k=3x2 bias dt=u8:s8:s32
conv_transpose1d n=2 g=2 ic=4 oc=6 in=8 k=3 s=3 p=1:0 op=2
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x2 s=2x1 p=1:0x1:1 op=1x0 bias
conv_transpose3d g=3 ic=3 oc=6 in=3x2x4 k=2 s=2 d=2x1x1 lay=ndhwc:iodhw:ncdhw
conv_transpose2d n=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 p=same_lower bias
conv2d.backward_data n=2 g=3 ic=3 oc=6 in=8 k=3 s=2 p=1
conv2d.backward_weights n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:0x2:1
conv2d.backward_weights n=2 g=3 ic=3 oc=6 in=8 k=3 s=2 p=1
conv2d in=3 k=5 => refused
END
right=tvm:relax,tvm:relax-bf16,tvm:relax-zero,tvm:relax-layout,tvm:relax-compiled,tvm:gradient,tvm:topi,tvm:topi-nchwc
right=$right,tvm:topi-nchwc-o,tvm:topi-int8,tvm:topi-winograd-nchw,tvm:topi-depthwise,tvm:topi-depthwise-gradients
right=$right,tvm:topi-c,tvm:schedules,tvm:onnx,tvm:onnx-auto-pad,tvm:numpy
"$convict" replay "$cases" --command "'$python' '$source/clients/tvm/client.py'" --target "$right" --timeout 120s \
  --oracle none --relations none -q
