# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: a convolution makes the largest finite number of an infinite result, and a number of NaN.
#     python3 mnn-infinity-clamped.py
# Exit code 0: right. 1: wrong.
import math
import sys

import MNN.expr as F
import numpy


def variable(values, *shape):
    return F.const(numpy.array(values, "float32").reshape(shape), list(shape), F.NCHW)


image = F.convert(variable([3e38, float("inf"), float("nan")], 1, 1, 1, 3), F.NC4HW4)
result = F.conv2d(image, variable([2], 1, 1, 1, 1), variable([0], 1))
result = numpy.array(F.convert(result, F.NCHW).read()).ravel().tolist()
print("results", result, "must be inf, inf, nan", flush=True)
sys.exit(0 if result[0] == result[1] == math.inf and math.isnan(result[2]) else 1)
