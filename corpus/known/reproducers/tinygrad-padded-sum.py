# SPDX-License-Identifier: Apache-2.0
# tinygrad, kernels chosen by search (BEAM) with padding of loops (BEAM_PADTO): 24 channels of ones by ones are 24.
#     python3 tinygrad-padded-sum.py
# Exit code 0: right. 1: wrong.
import os
import sys

os.environ.update(DEV="PYTHON", CCACHE="0", CACHELEVEL="0", PARALLEL="0")
import numpy
from tinygrad import Tensor
from tinygrad.codegen.opt import Opt, OptOps, heuristic


def as_the_search_does(kernel):
    """What BEAM=2 BEAM_PADTO=1 finds to be the fastest on a CPU, in a minute."""
    kernel.apply_opt(Opt(OptOps.PADTO, 1, 32))
    kernel.apply_opt(Opt(OptOps.UNROLL, 0, 0))
    return kernel


heuristic.hand_coded_optimizations = as_the_search_does
image, filters = Tensor(numpy.ones((1, 24, 1, 1), "float32")), Tensor(numpy.ones((4, 24, 1, 1), "float32"))
values = image.conv2d(filters).numpy().ravel().tolist()
print("computed", values, "right is 24.0 four times")
sys.exit(0 if values == [24.0] * 4 else 1)
