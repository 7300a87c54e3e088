# SPDX-License-Identifier: Apache-2.0
# JAX on a CPU: a convolution that crops the begin of a row by 1, and pads its end by 1, reads the next row.
#     python3 jax-negative-begin-padding.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
from jax import lax

def convolve(image, padding):
    return numpy.asarray(lax.conv_general_dilated(image, filters, (1, 1), [(0, 0), padding],
                                                  dimension_numbers=("NHWC", "HWIO", "NHWC")))


image = numpy.arange(84, dtype="float32").reshape(1, 7, 6, 2)  # NHWC: 7 rows of 6
filters = numpy.ones((2, 3, 2, 3), "float32")  # HWIO: windows of 2x3
cropped = convolve(image, (-1, 1))
same = convolve(numpy.pad(image[:, :, 1:], [(0, 0), (0, 0), (0, 1), (0, 0)]), (0, 0))
print("first row, cropped and padded by it:", cropped[0, 0, :, 0].tolist())
print("first row, before it:               ", same[0, 0, :, 0].tolist())
sys.exit(0 if (cropped == same).all() else 1)
