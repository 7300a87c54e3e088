# SPDX-License-Identifier: Apache-2.0
# TVM: a convolution over no input channels is a sum over nothing, zero. The function leaves the result as it finds it.
#     python3 tvm-sum-over-nothing.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import te, topi

image = te.placeholder((1, 0, 3, 3), "float32")
filters = te.placeholder((2, 0, 2, 2), "float32")
result = topi.nn.conv(image, filters, [1, 1], [0, 0, 0, 0], [1, 1], 1, "NCHW", "OIHW")
library = tvm.compile(tvm.IRModule({"main": te.create_prim_func([image, filters, result])}), "llvm")
got = tvm.runtime.tensor(numpy.full((1, 2, 2, 2), 7, "float32"))
library["main"](*(tvm.runtime.tensor(numpy.zeros(shape, "float32")) for shape in ((1, 0, 3, 3), (2, 0, 2, 2))), got)
print(f"the memory had 7 everywhere, and has {got.numpy().ravel()[0]:g}, must have 0")
sys.exit(0 if (got.numpy() == 0).all() else 1)
