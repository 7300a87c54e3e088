# SPDX-License-Identifier: Apache-2.0
# TVM: topi.nn.conv2d_NCHWc_int8 ignores the dilation if there are groups.
#     python3 tvm-int8-grouped-dilation.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import te, topi

image = te.placeholder((1, 2, 1, 3, 4), "int8")  # two groups of four channels: NCHW4c
filters = te.placeholder((2, 1, 1, 2, 1, 1, 4), "int8")  # one filter of 1x2 for each
with tvm.target.Target("llvm"):
    result = topi.nn.conv2d_NCHWc_int8(image, filters, [1, 1], [0, 0, 0, 0], [1, 2], "NCHW4c", "NCHW1c", "int32")
library = tvm.compile(tvm.IRModule({"main": te.create_prim_func([image, filters, result])}), "llvm")
given = numpy.zeros((1, 2, 1, 3, 4), "int8")
given[..., 0, :], given[..., 1, :], given[..., 2, :] = 1, 5, 10
got = tvm.runtime.tensor(numpy.zeros((1, 2, 1, 1, 1), "int32"))
library["main"](*map(tvm.runtime.tensor, (given, numpy.ones((2, 1, 1, 2, 1, 1, 4), "int8"))), got)
print(f"four channels of columns 1, 5 and 10, the first and the third added: {got.numpy().ravel()}, must be [44 44]")
sys.exit(0 if (got.numpy() == 44).all() else 1)
