# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU, bf16: an infinity makes NaN of elements whose windows do not contain it.
#     python3 openvino-bf16-special.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import openvino
import openvino.opset13 as op

image = numpy.ones((1, 2, 3, 8), "float32")
image[0, :, 1, 3] = numpy.inf
weights = numpy.ones((2, 24, 1, 3, 1), "float32")
src, ones = op.parameter([1, 2, 3, 8], numpy.float32), [1, 1]
model = openvino.Model([op.group_convolution(src, op.constant(weights), ones, ones, ones, ones)], [src])
compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "bf16"})
result = compiled([image])[0]
print("infinities:", numpy.isinf(result).sum(), "of 144; NaN:", numpy.isnan(result).sum())
sys.exit(1 if numpy.isnan(result).any() else 0)
