# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: expr.conv2d with two groups of two channels computes with weights that are not those of its groups.
#     python3 mnn-functions-groups.py
# Exit code 0: right. 1: wrong.
import sys

import MNN.expr as F
import numpy


def variable(values, *shape):
    return F.const(numpy.array(values, "float32").reshape(shape), list(shape), F.NCHW)


# One pixel of four channels. Each group of two channels has two filters.
image = F.convert(variable([1, 10, 100, 1000], 1, 4, 1, 1), F.NC4HW4)
weights = variable(range(1, 9), 4, 2, 1, 1)
result = F.conv2d(image, weights, variable([0] * 4, 4), (1, 1), (0, 0), (1, 1), 2)
result = numpy.array(F.convert(result, F.NCHW).read()).ravel().tolist()
WANTED = [1 + 2 * 10, 3 + 4 * 10, 5 * 100 + 6 * 1000, 7 * 100 + 8 * 1000]
print("results", result, "must be", WANTED, flush=True)
sys.exit(0 if result == WANTED else 1)
