# SPDX-License-Identifier: Apache-2.0
# tinygrad: a transposed convolution without output channels has a result of no elements.
#     python3 tinygrad-no-output-channels.py
# Exit code 0: right. 1: it fails.
import os
import sys

os.environ.update(DEV="PYTHON", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
from tinygrad import Tensor

image, filters = Tensor.ones(1, 1, 1, 1), Tensor.ones(1, 0, 1, 1)
try:
    shape = image.conv_transpose2d(filters).shape
except ZeroDivisionError as error:
    sys.exit(f"fails: ZeroDivisionError: {error}")
print("a result of", shape, "right is (1, 0, 1, 1)")
sys.exit(0 if shape == (1, 0, 1, 1) else 1)
