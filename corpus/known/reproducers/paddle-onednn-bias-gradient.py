# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN, IR before PIR: a bias has no gradient.
#     python3 paddle-onednn-bias-gradient.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1")
import numpy
import paddle
from paddle import pir_utils

paddle.enable_static()
shapes = {"x": (1, 1, 5, 6), "w": (2, 1, 3, 3), "b": (2,)}
with pir_utils.OldIrGuard():
    x, w, b = (paddle.static.data(name, shape) for name, shape in shapes.items())
    b.stop_gradient = False
    gradient = paddle.static.gradients([paddle.nn.functional.conv2d(x, w, b)], [b])
    ones = {name: numpy.ones(shape, "float32") for name, shape in shapes.items()}
    try:
        print("the gradient:", paddle.static.Executor().run(paddle.static.default_main_program(), ones, gradient)[0])
    except Exception as error:
        print(str(error).strip().splitlines()[-1])
        sys.exit(1)
