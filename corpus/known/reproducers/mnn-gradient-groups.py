# SPDX-License-Identifier: Apache-2.0
# MNN 3.6.1: the gradient of expr.conv2d with two groups has half of the channels of the image.
#     python3 mnn-gradient-groups.py
# Exit code 0: right. 1: wrong.
import sys

import MNN.expr as F
import MNN.optim
import numpy


def variable(*shape):
    made = F.const(numpy.ones(shape, "float32"), list(shape), F.NCHW)
    made.fix_as_trainable()
    return made


F.lazy_eval(True)
image, weights, bias = variable(1, 4, 3, 3), variable(4, 2, 1, 1), variable(4)
result = F.convert(F.conv2d(F.convert(image, F.NC4HW4), weights, bias, (1, 1), (0, 0), (1, 1), 2), F.NCHW)
_, gradients = MNN.optim.Grad().grad([result], [variable(1, 4, 3, 3)], [image])
print("the gradient has shape", list(gradients[0].shape), "must be", list(image.shape), flush=True)
sys.exit(0 if list(gradients[0].shape) == list(image.shape) else 1)
