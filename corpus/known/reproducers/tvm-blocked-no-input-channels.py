# SPDX-License-Identifier: Apache-2.0
# TVM: topi.nn.conv2d_NCHWc divides by zero if there are no input channels.
#     python3 tvm-blocked-no-input-channels.py
# Exit code 0: right. 1: wrong.
import sys

import tvm
from tvm import te, topi

image, filters = te.placeholder((1, 0, 3, 3, 1), "float32"), te.placeholder((2, 0, 1, 1, 1, 1), "float32")
try:
    with tvm.target.Target("llvm"):
        topi.nn.conv2d_NCHWc(image, filters, [1, 1], [0, 0, 0, 0], [1, 1], "NCHW1c", "NCHW1c")
except ZeroDivisionError as error:
    print(f"no input channels: {error}")
    sys.exit(1)
