# SPDX-License-Identifier: Apache-2.0
# TVM: topi.nn.depthwise_conv2d_nchw with a channel multiplier of 0, whose result is empty, fails: "Divide by zero".
#     python3 tvm-depthwise-no-output-channels.py
# Exit code 0: right. 1: wrong.
import sys

from tvm import te, topi

image, filters = te.placeholder((1, 2, 3, 3), "float32"), te.placeholder((2, 0, 1, 1), "float32")
try:
    topi.nn.depthwise_conv2d_nchw(image, filters, [1, 1], [0, 0, 0, 0], [1, 1])
except Exception as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit(1)
