#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# JAX through its client computes ordinary problems of all operations as the exact reference does, in each way
# that is right for them.
#     tests/clients/jax_test.sh CONVICT SOURCE_FOLDER
# Exit codes: 0 it does, 1 it does not, 77 it is not installed.
set -u

convict=$1
source=$2
python=$source/build/venvs/jax/bin/python
if [ ! -x "$python" ] || ! "$python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("jax") is None)'; then
  echo 'skipped: JAX is not installed in build/venvs/jax; clients/jax/requirements.txt has the version'
  exit 77
fi
cases=$(mktemp --suffix .cases)
trap 'rm -f "$cases"' EXIT
cat > "$cases" << 'END'
conv1d n=2 ic=3 oc=4 in=9 k=3 s=2 bias
conv2d n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:-1x2:1 bias lay=nhwc:ohwi:nchw
conv2d g=3 ic=3 oc=6 in=8x7 k=3x2 d=2x1 p=1:0x2:1 fill=normal view=src+wei dt=bf16
conv3d n=2 ic=3 oc=4 in=5x4x6 k=3x2x1 p=valid dt=f64
conv2d ic=3 oc=4 in=5x4 k=3x2 fill=normal dt=f16:f16:f32
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x2 s=2x1 p=1:0x1:1 op=1x0 bias
conv_transpose2d n=2 ic=3 oc=4 in=4x5 k=3x4 s=2x1 p=same_upper
conv_transpose3d g=3 ic=3 oc=6 in=3x2x4 k=2 s=2 d=2x1x1 lay=ndhwc:iodhw:ncdhw
conv2d.backward_data n=2 ic=3 oc=4 in=8x7 k=3x2 s=2x1 p=1:0x2:1
conv2d.backward_weights n=2 g=2 ic=4 oc=6 in=8x7 k=3x2 s=2x1 d=1x2 p=1:0x2:1
conv_transpose2d.backward_data g=2 ic=4 oc=2 in=4x5 k=3x2 s=2x1 p=1:0x1:1 op=1x0
conv_transpose1d.backward_weights n=3 ic=3 oc=2 in=6 k=4 s=3 p=1 op=2
conv2d in=3 k=5 => refused
END
client="'$python' '$source/clients/jax/client.py'"
failed=0
for program in '' quick no-algsimp onednn single-thread; do
  "$convict" replay "$cases" --command "$client $program" --oracle none --relations none -q || failed=1
done
exit "$failed"
