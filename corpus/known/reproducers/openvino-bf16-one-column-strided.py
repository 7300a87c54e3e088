# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU, bf16: a convolution is wrong if its result has one column and columns are strided.
#     python3 openvino-bf16-one-column-strided.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import openvino
import openvino.opset13 as op

image = numpy.ones((1, 8, 13, 3), "float32")
weights = numpy.ones((10, 8, 2, 2), "float32")  # windows of 2x2, stride 1x2: a result of 12x1
src, stride, padding, dilation = op.parameter([1, 8, 13, 3], numpy.float32), [1, 2], [0, 0], [1, 1]
dst = op.convolution(src, op.constant(weights), stride, padding, padding, dilation)
model = openvino.Model([dst], [src])
compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "bf16"})
result = compiled([image])[0]
print("the first filter, twelve rows, instead of 32:", result[0, 0].ravel().tolist())
sys.exit(0 if (result == 32).all() else 1)
