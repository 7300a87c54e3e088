# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU, f16: a NaN and an infinity among the weights become 65504.
#     python3 openvino-f16-constants-clamped.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import openvino
import openvino.opset13 as op

image = numpy.full((1, 1, 1, 2), 0.25, "float32")
weights = numpy.array([numpy.nan, numpy.inf, 1], "float32").reshape(3, 1, 1, 1)
src = op.parameter([1, 1, 1, 2], numpy.float32)
model = openvino.Model([op.convolution(src, op.constant(weights), [1, 1], [0, 0], [0, 0], [1, 1])], [src])
compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f16"})
result = compiled([image])[0][0, :, 0, 0]
print("instead of nan, inf, 0.25:", result.tolist())
sys.exit(0 if numpy.isnan(result[0]) and numpy.isposinf(result[1]) else 1)
