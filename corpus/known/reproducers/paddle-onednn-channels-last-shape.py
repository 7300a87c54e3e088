# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN, IR before PIR: conv1d with channels last returns four axes.
#     python3 paddle-onednn-channels-last-shape.py
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
        x, w = paddle.static.data("x", (1, 5, 3)), paddle.static.data("w", (2, 3, 3))
        y = functional.conv1d(x, w, data_format="NLC")
    result, = paddle.static.Executor().run(program, {"x": numpy.ones((1, 5, 3), "float32"),
                                                     "w": numpy.ones((2, 3, 3), "float32")}, [y])
print("declared", list(y.shape), "computed", list(result.shape))
sys.exit(0 if list(result.shape) == [1, 3, 2] else 1)
