# SPDX-License-Identifier: Apache-2.0
# tinygrad: the gradient of this transposed convolution's image in f16, whose outer rows and columns are zero, as in f32.
#     python3 tinygrad-f16-constant-row.py
# Exit code 0: right. 1: it fails, or is wrong.
import os
import sys

os.environ.update(DEV="PYTHON", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
import numpy
from tinygrad import Tensor


def gradient(kind):
    image, filters = (Tensor(numpy.ones(shape, kind)) for shape in ((1, 1, 6, 4), (1, 1, 1, 1)))
    result = image.conv_transpose2d(filters, stride=4, padding=2)
    return result.gradient(image, gradient=Tensor(numpy.ones(result.shape, kind)))[0].contiguous().numpy().tolist()


right = gradient("float32")
try:
    value = gradient("float16")
except RuntimeError as error:
    sys.exit(f"f32: {right[0][0][0]}, ...; f16: {' '.join(str(error).split())[:70]}")
print("f32:", right[0][0], "f16:", value[0][0])
sys.exit(0 if value == right else 1)
