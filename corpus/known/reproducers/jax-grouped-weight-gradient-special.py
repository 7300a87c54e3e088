# SPDX-License-Identifier: Apache-2.0
# JAX on a CPU: in the weight gradient of a grouped convolution, an infinity of one group is NaN in others.
#     python3 jax-grouped-weight-gradient-special.py
# Exit code 0: right. 1: wrong.
import sys

import jax
import numpy
from jax import lax

image = numpy.ones((1, 3, 1), "float32")  # NCW: three groups of one channel
filters = numpy.ones((6, 1, 1), "float32")  # two for each of them
_, pull = jax.vjp(lambda filters: lax.conv_general_dilated(image, filters, (1,), [(0, 0)], feature_group_count=3),
                  filters)
above = numpy.ones((1, 6, 1), "float32")
above[0, 0, 0] = numpy.inf
gradient = numpy.asarray(pull(above)[0]).ravel()
print(gradient, "instead of", above.ravel())
sys.exit(0 if (gradient == above.ravel()).all() else 1)
