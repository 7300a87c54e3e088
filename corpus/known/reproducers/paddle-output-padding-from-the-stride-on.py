# SPDX-License-Identifier: Apache-2.0
# Paddle: output padding below the dilation, but not below the stride, fails in the kernel.
#     python3 paddle-output-padding-from-the-stride-on.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import paddle
from paddle.nn import functional

image = paddle.to_tensor(numpy.ones((1, 1, 2, 3), "float32"))
filters = paddle.to_tensor(numpy.ones((1, 1, 1, 1), "float32"))
try:
    result = functional.conv2d_transpose(image, filters, stride=1, dilation=2, output_padding=1)
    print("an output of", result.shape)
except ValueError as error:
    print([line for line in str(error).splitlines() if line.strip()][-1].strip())
    sys.exit(1)
