# SPDX-License-Identifier: Apache-2.0
# OpenVINO on a CPU: if the columns of the image are open, a dilated kernel over 65 columns is refused.
#     python3 openvino-dynamic-dilated-kernel.py
# Exit code 0: right. 1: wrong, a RuntimeError.
import sys

import numpy
import openvino
import openvino.opset13 as op

weights = op.constant(numpy.ones((1, 1, 1, 33), "float32"))
for columns in (100, -1):
    src = op.parameter([1, 1, 1, columns], numpy.float32)
    model = openvino.Model([op.convolution(src, weights, [1, 1], [0, 0], [0, 0], [1, 2])], [src])
    try:
        result = openvino.Core().compile_model(model, "CPU")([numpy.ones((1, 1, 1, 100), "float32")])[0]
        print(columns, "columns:", result.shape)
    except RuntimeError as error:
        print(columns, "columns:", str(error).strip().splitlines()[-1])
        sys.exit(1)
