# SPDX-License-Identifier: Apache-2.0
# TVM: topi.nn.conv2d_winograd_nhwc is wrong on an image of 12x5, which is higher than it is wide.
#     python3 tvm-winograd-rows.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import tvm
from tvm import te, topi


def computed(height, width):
    image, filters = te.placeholder((1, height, width, 1), "float32"), te.placeholder((3, 3, 1, 1), "float32")
    result = topi.nn.conv2d_winograd_nhwc(image, filters, [1, 1], [0, 0, 0, 0], [1, 1], "float32")
    library = tvm.compile(tvm.IRModule({"main": te.create_prim_func([image, filters, result])}), "llvm")
    got = tvm.runtime.tensor(numpy.zeros((1, height - 2, width - 2, 1), "float32"))
    ones = (numpy.ones((1, height, width, 1), "float32"), numpy.ones((3, 3, 1, 1), "float32"))
    library["main"](*map(tvm.runtime.tensor, ones), got)
    return numpy.abs(got.numpy() - 9).max()  # ones are 9 everywhere


wide, high = computed(5, 12), computed(12, 5)
print(f"the largest error on ones: of 5x12 {wide:g}, of 12x5 {high:g}, must be below 0.001")
sys.exit(0 if max(wide, high) < 1e-3 else 1)
