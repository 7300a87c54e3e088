# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU, f32: a convolution with a dilated kernel of one element, and a bias, ends the process.
#     python3 openvino-conv3d-dilated-unit-kernel.py
# Exit code 0: right. 1: wrong, a segmentation fault.
import sys

import numpy
import openvino
import openvino.opset13 as op

image = numpy.ones((3, 15, 5, 2, 1), "float32")
weights = numpy.ones((1, 15, 1, 1, 1), "float32")
src, stride, padding, dilation = op.parameter([3, 15, 5, 2, 1], numpy.float32), [1, 1, 2], [0, 3, 1], [1, 3, 2]
dst = op.convolution(src, op.constant(weights), stride, padding, padding, dilation)
dst = op.add(dst, op.constant(numpy.ones((1, 1, 1, 1, 1), "float32")))
model = openvino.Model([dst], [src])
compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
result = compiled([image])[0]
print("extents:", result.shape, flush=True)
sys.exit(0 if result[0, 0, 0, 3, 0] == 1 else 1)
