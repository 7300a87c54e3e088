# SPDX-License-Identifier: Apache-2.0
# TVM: topi.nn.conv2d_NCHWc takes padding for none where a crop at the begin and padding at the end cancel out.
#     python3 tvm-nchwc-cancelling-padding.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import te, topi

image, filters = te.placeholder((1, 1, 1, 3, 1), "float32"), te.placeholder((1, 1, 1, 1, 1, 1), "float32")
with tvm.target.Target("llvm"):
    result = topi.nn.conv2d_NCHWc(image, filters, [1, 1], [0, -1, 0, 1], [1, 1], "NCHW1c", "NCHW1c")
library = tvm.compile(tvm.IRModule({"main": te.create_prim_func([image, filters, result])}), "llvm")
given = numpy.array([1, 2, 3], "float32").reshape(1, 1, 1, 3, 1)
got = tvm.runtime.tensor(numpy.zeros((1, 1, 1, 3, 1), "float32"))
library["main"](*map(tvm.runtime.tensor, (given, numpy.ones((1, 1, 1, 1, 1, 1), "float32"))), got)
print(f"1 2 3 without its first column and with one behind it, times 1: {got.numpy().ravel()}, must be [2. 3. 0.]")
sys.exit(0 if (got.numpy().ravel() == [2, 3, 0]).all() else 1)
