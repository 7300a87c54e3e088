# SPDX-License-Identifier: Apache-2.0
# tinygrad on a CPU: no tap of this transposed convolution lands in its result, so the gradient of its image is zero.
#     python3 tinygrad-nothing-summed.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(DEV="CPU:LLVM", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
os.environ.setdefault("CC", "clang-19")  # or another, by CC
import numpy
from tinygrad import Tensor

before = (Tensor(numpy.full((1, 1, 1, 1), 7, "float32")) + 1).numpy()  # memory of this size is free again
image, filters = Tensor.zeros(1, 1, 1, 1).contiguous(), Tensor(numpy.ones((1, 16, 2, 2), "float32"))
result = image.conv_transpose2d(filters, stride=8, dilation=6, padding=1, output_padding=(3, 0))
above = Tensor(numpy.ones(result.shape, "float32"))
gradient, = result.gradient(image, gradient=above)
value = gradient.contiguous().numpy().item()
print("computed", value, "right is 0")
sys.exit(0 if value == 0 else 1)
