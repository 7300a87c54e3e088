# SPDX-License-Identifier: Apache-2.0
# OpenVINO on processors with AMX, in bf16, which is its default there: a convolution of 8 channels with a kernel of 8
# columns is wrong.
#     python3 openvino-bf16-few-channels.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import openvino
import openvino.opset13 as op

generator = numpy.random.default_rng(0)
image = generator.integers(0, 4, (1, 8, 1, 40)).astype("float32")
weights = generator.integers(-1, 2, (3, 8, 1, 8)).astype("float32")
src = op.parameter(list(image.shape), numpy.float32)
model = openvino.Model([op.convolution(src, op.constant(weights), [1, 1], [0, 0], [0, 0], [1, 1])], [src])
results = {}
for precision in ("f32", "bf16", "default"):
    hint = {} if precision == "default" else {"INFERENCE_PRECISION_HINT": precision}
    results[precision] = openvino.Core().compile_model(model, "CPU", hint)([image])[0]
wrong = {precision: int((result != results["f32"]).sum()) for precision, result in results.items()}
print("OpenVINO", openvino.__version__, "wrong elements of 99:", wrong)
sys.exit(wrong["bf16"] > 0)
