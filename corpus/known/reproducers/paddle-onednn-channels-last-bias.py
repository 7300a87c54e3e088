# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN: a bias is added along the width of an image with channels last.
#     python3 paddle-onednn-channels-last-bias.py
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
    x, w = paddle.static.data("x", (1, 2, 3, 1)), paddle.static.data("w", (3, 1, 1, 1))
    b = paddle.static.data("b", (3,))
    y = functional.conv2d(x, w, b, data_format="NHWC")  # 2 rows, 3 columns, 3 channels
result, = paddle.static.Executor().run(program, {"x": numpy.zeros((1, 2, 3, 1), "float32"),
                                                 "w": numpy.zeros((3, 1, 1, 1), "float32"),
                                                 "b": numpy.float32([1, 2, 3])}, [y])
print(result)
sys.exit(0 if (result == numpy.float32([1, 2, 3])).all() else 1)
