# SPDX-License-Identifier: Apache-2.0
# tinygrad with IMAGE=1: a convolution of no images, as without IMAGE.
#     python3 tinygrad-image-nothing.py
# Exit code 0: right. 1: it fails.
import os
import sys

os.environ.update(DEV="PYTHON", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
import numpy
from tinygrad import Context, Tensor


def outcome(image):
    with Context(IMAGE=image):
        images, filters = Tensor(numpy.ones((0, 1, 1, 1), "float32")), Tensor(numpy.ones((1, 1, 1, 1), "float32"))
        try:
            return images.conv2d(filters, padding=0).numpy().tolist()
        except ZeroDivisionError as error:
            return f"ZeroDivisionError: {error}"


print("without IMAGE:", outcome(0), "with it:", outcome(1))
sys.exit(0 if outcome(0) == outcome(1) else 1)
