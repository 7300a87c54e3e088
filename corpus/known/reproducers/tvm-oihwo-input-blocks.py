# SPDX-License-Identifier: Apache-2.0
# TVM: topi.nn.conv2d_NCHWc_OIHWo takes filters in OIHW2i1o apart by the block of output channels, 1, instead of that of
# input channels, 2: of two channels it finds the second one beyond the filters.
#     python3 tvm-oihwo-input-blocks.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import te, topi

image = te.placeholder((1, 2, 1, 1, 2), "float32")  # four channels: NCHW2c
filters = te.placeholder((1, 2, 1, 1, 2, 1), "float32")
result = topi.nn.conv2d_NCHWc_OIHWo(image, filters, [1, 1], [0, 0, 0, 0], [1, 1], "NCHW2c", "NCHW1c")
library = tvm.compile(tvm.IRModule({"main": te.create_prim_func([image, filters, result])}), "llvm")
given = numpy.array([1, 1, 1, 1], "float32").reshape(1, 2, 1, 1, 2)
weights = numpy.array([1, 10, 100, 1000], "float32").reshape(1, 2, 1, 1, 2, 1)
got = tvm.runtime.tensor(numpy.zeros((1, 1, 1, 1, 1), "float32"))
library["main"](*map(tvm.runtime.tensor, (given, weights)), got)
print(f"1*1 + 1*10 + 1*100 + 1*1000 is {got.numpy().item():g}, must be 1111")
sys.exit(0 if got.numpy().item() == 1111 else 1)
