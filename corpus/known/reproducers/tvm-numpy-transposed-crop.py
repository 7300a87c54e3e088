# SPDX-License-Identifier: Apache-2.0
# TVM: the reference of its tests for conv2d_transpose is wrong, or fails, if padding is as large as the kernel.
#     python3 tvm-numpy-transposed-crop.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
from tvm.topi import testing

image, filters = numpy.arange(1, 10).reshape(1, 1, 3, 3).astype("float32"), numpy.ones((1, 1, 1, 1), "float32")
try:
    got = testing.conv2d_transpose_nchw_python(image, filters, 1, (1, 1, 1, 1), (0, 0))
    print(f"the middle of 3x3 is {got.ravel()}, must be [5.]")
    sys.exit(0 if got.ravel().tolist() == [5] else 1)
except ValueError as error:
    print(f"the middle of 3x3: {error}")
    sys.exit(1)
