# SPDX-License-Identifier: Apache-2.0
# Paddle: with padding SAME, the dilation of a convolution is 1, whatever it was said to be.
#     python3 paddle-same-ignores-dilation.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
import paddle
from paddle.nn import functional

image = paddle.to_tensor(numpy.float32([[[1, 2, 3, 4, 5]]]))
filters = paddle.to_tensor(numpy.float32([[[1, 10, 100]]]))
by_name = functional.conv1d(image, filters, padding="SAME", dilation=2).numpy()
by_number = functional.conv1d(image, filters, padding=2, dilation=2).numpy()
print("padding SAME, dilation 2:", by_name.ravel())
print("padding 2, dilation 2:   ", by_number.ravel())
sys.exit(0 if (by_name == by_number).all() else 1)
