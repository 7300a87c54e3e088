# SPDX-License-Identifier: Apache-2.0
# tinygrad with IMAGE=1: a third times one, in f64, is what it is without IMAGE.
#     python3 tinygrad-image-f64.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(DEV="PYTHON", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
import numpy
from tinygrad import Context, Tensor


def value(image):
    with Context(IMAGE=image):
        return Tensor(numpy.full((1, 1, 1, 1), 1 / 3)).conv2d(Tensor(numpy.ones((1, 1, 1, 1)))).numpy().item()


print("without IMAGE:", value(0), "with it:", value(1))
sys.exit(0 if value(0) == value(1) else 1)
