# SPDX-License-Identifier: Apache-2.0
# MLX: the weight gradient of a convolution with dilation or groups has a wrong shape where the last window ends in the
# padding before the image.
#     python3 mlx-crop-beyond-image.py
# Exit code 0: right. 1: wrong.
import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
image, weights = mx.ones((1, 1, 2)), mx.ones((2, 5, 1))
convolve = lambda weights: mx.conv_general(image, weights, stride=5, padding=([6], [1]), groups=2)
gradient = mx.vjp(convolve, [weights], [mx.ones_like(convolve(weights))])[1][0]
print("the gradient has the shape", gradient.shape, "and the weights", weights.shape)
sys.exit(0 if gradient.shape == weights.shape else 1)
