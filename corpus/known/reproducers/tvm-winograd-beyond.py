# SPDX-License-Identifier: Apache-2.0
# TVM: topi.nn.conv2d_winograd_nchw of a 3x3 image reads 6x6 elements. What lies beyond the image spoils the result. A
# larger image is computed before, so that something lies there.
#     python3 tvm-winograd-beyond.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import te, topi


def function(name, size):
    image, filters = te.placeholder((1, 1, size, size), "float32"), te.placeholder((1, 1, 3, 3), "float32")
    result = topi.nn.conv2d_winograd_nchw(image, filters, [1, 1], [0, 0, 0, 0], [1, 1], "float32")
    return te.create_prim_func([image, filters, result]).with_attr("global_symbol", name)


library = tvm.compile(tvm.IRModule({"large": function("large", 6), "small": function("small", 3)}), "llvm")
for name, size, value in (("large", 6, numpy.nan), ("small", 3, 1)):
    image, filters = numpy.full((1, 1, size, size), value, "float32"), numpy.ones((1, 1, 3, 3), "float32")
    got = tvm.runtime.tensor(numpy.zeros((1, 1, size - 2, size - 2), "float32"))
    library[name](tvm.runtime.tensor(image), tvm.runtime.tensor(filters), got)
print(f"the sum of nine ones is {got.numpy().item():g}, must be 9")
sys.exit(0 if abs(got.numpy().item() - 9) < 1e-3 else 1)
