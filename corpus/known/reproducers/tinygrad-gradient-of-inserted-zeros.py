# SPDX-License-Identifier: Apache-2.0
# tinygrad: the taps of this convolution lie in the padding, before and behind the image, so its result is zero.
#     python3 tinygrad-gradient-of-inserted-zeros.py
# Exit code 0: right. 1: it fails, or is wrong.
import os
import sys

os.environ.update(DEV="PYTHON", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
import numpy
from tinygrad import Tensor

image, filters = Tensor(numpy.ones((1, 2, 2), "float32")), Tensor(numpy.ones((1, 2, 2), "float32"))
try:
    values = image.conv2d(filters, stride=2, dilation=8, padding=(5, 4)).numpy().ravel().tolist()
except ValueError as error:
    sys.exit(f"ValueError: {error}")
print("computed", values, "right is [0.0, 0.0]")
sys.exit(0 if values == [0.0, 0.0] else 1)
