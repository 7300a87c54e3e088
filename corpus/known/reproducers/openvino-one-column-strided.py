# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU, f32: a convolution of one channel is wrong from its second row on if its result has one column.
#     python3 openvino-one-column-strided.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import openvino
import openvino.opset13 as op

image = numpy.arange(48, dtype="float32").reshape(1, 1, 4, 12)
weights = numpy.ones((12, 1, 2, 11), "float32")  # windows of 2x11, stride 1x2: a result of 3x1
src, stride, padding, dilation = op.parameter([1, 1, 4, 12], numpy.float32), [1, 2], [0, 0], [1, 1]
dst = op.convolution(src, op.constant(weights), stride, padding, padding, dilation)
model = openvino.Model([dst], [src])
compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
result = compiled([image])[0]
right = [image[0, 0, row:row + 2, :11].sum() for row in range(3)]
print("each filter:    ", result[0, :, :, 0].tolist())
print("instead of twelve times:", [float(one) for one in right])
sys.exit(0 if (result[0, :, :, 0] == right).all() else 1)
