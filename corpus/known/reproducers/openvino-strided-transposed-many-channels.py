# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU with one thread, f32: a strided transposed convolution of 1,024 channels damages the heap.
#     python3 openvino-strided-transposed-many-channels.py
# Exit code: 0 right; a signal is the bug.
import numpy
import openvino
import openvino.opset13 as op

image = numpy.ones((1, 1024, 1, 8), "float32")
weights = op.constant(numpy.ones((1024, 4, 1, 25), "float32"))
src = op.parameter([1, 1024, 1, 8], numpy.float32)
dst = op.convolution_backprop_data(src, weights, [1, 2], pads_begin=[0, 0], pads_end=[0, 0], dilations=[1, 1])
how = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
compiled = openvino.Core().compile_model(openvino.Model([dst], [src]), "CPU", how)
for turn in range(3):
    got = compiled([image])[0]
print(f"OpenVINO {openvino.__version__}: {got[0, 0].tolist()}")
