# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN, IR before PIR: a bias has no gradient.
#     python3 paddle-onednn-bias-gradient.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1")
import numpy
import paddle
from paddle.nn import functional

from paddle import pir_utils

paddle.enable_static()
with pir_utils.OldIrGuard():
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x, w = paddle.static.data("x", (1, 1, 5, 6)), paddle.static.data("w", (2, 1, 3, 3))
        b = paddle.static.data("b", (2,))
        b.stop_gradient = False
        gradient = paddle.static.gradients([functional.conv2d(x, w, b)], [b])
    try:
        result, = paddle.static.Executor().run(program, {"x": numpy.ones((1, 1, 5, 6), "float32"),
                                                         "w": numpy.ones((2, 1, 3, 3), "float32"),
                                                         "b": numpy.ones(2, "float32")}, gradient)
        print("the gradient:", result)
    except Exception as error:
        print(str(error).strip().splitlines()[-1])
        sys.exit(1)
