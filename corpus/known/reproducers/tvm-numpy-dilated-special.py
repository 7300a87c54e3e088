# SPDX-License-Identifier: Apache-2.0
# TVM: the reference of its tests for a dilated conv1d makes NaN of an infinity that no tap meets.
#     python3 tvm-numpy-dilated-special.py
# Exit code 0: right. 1: wrong.
import sys

import numpy
from tvm.topi import testing

image, filters = numpy.array([[[1, numpy.inf, 1]]]), numpy.ones((1, 1, 2))
got = testing.conv1d_ncw_python(image, filters, 1, 0, 2).item()
print(f"the sum of the first and the third of 1 inf 1 is {got}, must be 2")
sys.exit(0 if got == 2 else 1)
