# SPDX-License-Identifier: Apache-2.0
# tinygrad with WINO=1: 3000 in an image of zeros, by a filter of ones, in f16; each result is 3000 or 0.
#     python3 tinygrad-winograd-f16.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(DEV="PYTHON", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
import numpy
from tinygrad import Context, Tensor

image = numpy.zeros((1, 1, 6, 6), "float16")
image[0, 0, 2, 2] = 3000
rows = []
for winograd in (0, 1):
    with Context(WINO=winograd):
        rows.append(Tensor(image).conv2d(Tensor(numpy.ones((1, 1, 3, 3), "float16"))).numpy()[0, 0, 0].tolist())
print("first row, without WINO:", rows[0], "with it:", rows[1])
sys.exit(0 if all(abs(a - b) < 100 for a, b in zip(*rows)) else 1)
