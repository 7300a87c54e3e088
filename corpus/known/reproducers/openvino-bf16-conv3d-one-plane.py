# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU, bf16: a convolution of an image of one plane, with planes of padding, is wrong.
#     python3 openvino-bf16-conv3d-one-plane.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import openvino
import openvino.opset13 as op

image = numpy.ones((1, 1, 1, 3, 3), "float32")
weights = numpy.ones((1, 1, 3, 3, 3), "float32")
src, stride, padding, dilation = op.parameter([1, 1, 1, 3, 3], numpy.float32), [1] * 3, [1] * 3, [1] * 3
dst = op.convolution(src, op.constant(weights), stride, padding, padding, dilation)
model = openvino.Model([dst], [src])
compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "bf16"})
result = compiled([image])[0]
print("instead of 4, 6, 4, 6, 9, 6, 4, 6, 4:", result.ravel().tolist())
sys.exit(0 if result.ravel().tolist() == [4, 6, 4, 6, 9, 6, 4, 6, 4] else 1)
