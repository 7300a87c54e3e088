# SPDX-License-Identifier: Apache-2.0
# MLX: vmap over the weights of a grouped convolution mixes up the groups.
#     python3 mlx-vmap-grouped-filters.py
# Exit code 0: right. 1: wrong.
import sys

import mlx.core as mx

image = mx.array([[[1.0, 10.0]]])  # [n, w, channels]: one pixel, two groups of one channel
filters = mx.ones((3, 2, 1, 1))  # three sets of weights, each [output channels, w, channels of a group]


def convolve(weights):
    return mx.conv1d(image, weights, groups=2)


mapped = mx.vmap(convolve)(filters)
one_by_one = mx.stack([convolve(weights) for weights in filters])
print("mapped:    ", mapped.reshape(3, 2).tolist())
print("one by one:", one_by_one.reshape(3, 2).tolist())
sys.exit(0 if mx.array_equal(mapped, one_by_one).item() else 1)
