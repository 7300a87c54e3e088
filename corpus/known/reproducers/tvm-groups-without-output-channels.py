# SPDX-License-Identifier: Apache-2.0
# TVM: a grouped convolution without output channels, whose result is empty, does not compile: "Divide by zero".
#     python3 tvm-groups-without-output-channels.py
# Exit code 0: right. 1: wrong.
import sys

import tvm
from tvm import te, topi

for groups in (1, 2):
    image, filters = te.placeholder((1, 2, 3, 3), "float32"), te.placeholder((0, 2 // groups, 1, 1), "float32")
    try:
        result = topi.nn.conv(image, filters, [1, 1], [0, 0, 0, 0], [1, 1], groups, "NCHW", "OIHW")
        tvm.compile(tvm.IRModule({"main": te.create_prim_func([image, filters, result])}), "llvm")
        print(f"{groups} groups: an empty result")
    except Exception as error:
        print(f"{groups} groups: {str(error).strip().splitlines()[-1]}")
        sys.exit(1)
