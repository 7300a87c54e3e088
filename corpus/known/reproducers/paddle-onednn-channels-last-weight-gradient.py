# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN: the weight gradient of a convolution with channels last has its axes in another order.
#     python3 paddle-onednn-channels-last-weight-gradient.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1")
import numpy
import paddle
from paddle.nn import functional

image = numpy.random.RandomState(1).randint(-3, 4, (1, 5, 5, 3)).astype("float32")
ones = numpy.ones((1, 3, 3, 2), "float32")

paddle.enable_static()
program = paddle.static.Program()
with paddle.static.program_guard(program):
    x, dy = paddle.static.data("x", image.shape), paddle.static.data("dy", ones.shape)
    w = paddle.static.data("w", (2, 3, 3, 3))
    w.stop_gradient = False
    y = functional.conv2d(x, w, data_format="NHWC")
    gradient = paddle.static.gradients([y], [w], [dy])
result, = paddle.static.Executor().run(program, {"x": image, "dy": ones, "w": numpy.zeros((2, 3, 3, 3), "float32")},
                                       gradient)
windows = numpy.lib.stride_tricks.sliding_window_view(image, (3, 3), (1, 2))  # n, h, w, i, kernel
expected = numpy.broadcast_to(windows.sum((0, 1, 2)), (2, 3, 3, 3))
print("wrong elements:", (result != expected).sum(), "of", result.size)
print("after a transposition:", (result.transpose(0, 3, 1, 2) != expected).sum())
sys.exit(0 if (result == expected).all() else 1)
