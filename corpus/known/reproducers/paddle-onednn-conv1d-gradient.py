# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN: conv1d has no gradient.
#     python3 paddle-onednn-conv1d-gradient.py
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
    x, w = paddle.static.data("x", (1, 1, 5)), paddle.static.data("w", (1, 1, 3))
    x.stop_gradient = False
    gradient = paddle.static.gradients([functional.conv1d(x, w)], [x])
try:
    result, = paddle.static.Executor().run(program, {"x": numpy.ones((1, 1, 5), "float32"),
                                                     "w": numpy.ones((1, 1, 3), "float32")}, gradient)
    print("the gradient:", result.ravel())
except Exception as error:
    print(type(error).__name__, str(error).strip().splitlines()[-1])
    sys.exit(1)
