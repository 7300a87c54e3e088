# SPDX-License-Identifier: Apache-2.0
# JAX on a CPU: a depthwise convolution of f64 makes NaN in all channels of an infinity in one of them.
#     python3 jax-depthwise-f64-special.py
# Exit code 0: right. 1: wrong.
import sys

import jax
import numpy
from jax import lax

jax.config.update("jax_enable_x64", True)
wrong = 0
for kind in "float32", "float64":
    image = numpy.ones((1, 3, 2), kind)  # NCW: three channels
    image[0, 0, 0] = numpy.inf
    result = numpy.asarray(lax.conv_general_dilated(image, numpy.ones((3, 1, 1), kind), (1,), [(0, 0)],
                                                    feature_group_count=3))
    print(kind, result.tolist())
    wrong += (result != image).sum()
sys.exit(0 if wrong == 0 else 1)
