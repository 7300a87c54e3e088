# SPDX-License-Identifier: Apache-2.0
# MLX: the gradient of a transposed convolution with stride and output padding has another shape than its operand.
#     python3 mlx-transposed-gradient-shape.py
# Exit code 0: right. 1: wrong.
import sys

import mlx.core as mx

image, weights = mx.ones((1, 3, 1)), mx.ones((1, 3, 1))


def convolve(image):
    return mx.conv_transpose1d(image, weights, stride=2, output_padding=1)


(result,), (gradient,) = mx.vjp(convolve, [image], [mx.ones((1, 8, 1))])
print("image", image.shape, "result", result.shape, "gradient of the image", gradient.shape)
sys.exit(0 if gradient.shape == image.shape else 1)
