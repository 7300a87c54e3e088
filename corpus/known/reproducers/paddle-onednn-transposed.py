# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN: conv2d_transpose of PIR demands is_test, which its operation does not have.
#     python3 paddle-onednn-transposed.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1")
import numpy
import paddle
from paddle.nn import functional

paddle.enable_static()
program = paddle.static.Program()
with paddle.static.program_guard(program):
    x, w = paddle.static.data("x", (1, 1, 2, 2)), paddle.static.data("w", (1, 1, 1, 1))
    y = functional.conv2d_transpose(x, w)
program.set_is_test_attr()
try:
    result, = paddle.static.Executor().run(program, {"x": numpy.ones((1, 1, 2, 2), "float32"),
                                                     "w": numpy.ones((1, 1, 1, 1), "float32")}, [y])
    print(result)
except ValueError as error:
    print([line for line in str(error).splitlines() if "works only" in line][-1].strip())
    sys.exit(1)
