# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU, bf16: a convolution some of whose rows of windows see padding alone ends the process.
#     python3 openvino-bf16-idle-windows.py
# Exit code 0: right. 1: wrong, a segmentation fault.
import sys

import numpy
import openvino
import openvino.opset13 as op

image = numpy.ones((1, 2, 1, 5), "float32")
weights = numpy.ones((2, 4, 1, 2, 2), "float32")  # two groups of four filters of 2x2
src, stride, padding, dilation = op.parameter([1, 2, 1, 5], numpy.float32), [1, 1], [1, 2], [2, 2]
dst = op.group_convolution(src, op.constant(weights), stride, padding, padding, dilation)
model = openvino.Model([dst], [src])
compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "bf16"})
result = compiled([image])[0]
print("no tap meets the image:", result.ravel().tolist())
sys.exit(0 if (result == 0).all() else 1)
