# SPDX-License-Identifier: Apache-2.0
# Paddle with oneDNN: the weight gradient of a convolution with channels last has its axes in another order.
#     python3 paddle-onednn-channels-last-weight-gradient.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(FLAGS_use_mkldnn="1", FLAGS_use_onednn="1")
import numpy
import paddle

paddle.enable_static()
x, w = paddle.static.data("x", (1, 3, 3, 3)), paddle.static.data("w", (1, 3, 3, 3))
w.stop_gradient = False
y = paddle.nn.functional.conv2d(x, w, data_format="NHWC")
gradient = paddle.static.gradients([y], [w])
image = numpy.arange(27, dtype="float32").reshape(1, 3, 3, 3)  # rows, columns, channels
feed = {"x": image, "w": numpy.zeros((1, 3, 3, 3), "float32")}
result, = paddle.static.Executor().run(paddle.static.default_main_program(), feed, gradient)
expected = image.transpose(0, 3, 1, 2)  # of one window: the image, with channels first as weights have them
print("wrong elements:", (result != expected).sum(), "of 27; as channels last:", (result != image).sum())
sys.exit(0 if (result == expected).all() else 1)
