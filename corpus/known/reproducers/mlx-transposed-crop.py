# SPDX-License-Identifier: Apache-2.0
# MLX: padding beyond the kernel of a transposed convolution crops rows of the image instead of rows of the result.
#     python3 mlx-transposed-crop.py
# Exit code 0: right. 1: wrong.
import sys

import mlx.core as mx

image, weights = mx.array([1.0, 2.0, 3.0, 4.0]).reshape(1, 4, 1), mx.ones((1, 1, 1))
whole = mx.conv_transpose1d(image, weights, stride=2)
padded = mx.conv_transpose1d(image, weights, stride=2, padding=1)
print("padding 0:", whole.reshape(-1).tolist())
print("padding 1:", padded.reshape(-1).tolist(), "instead of", whole.reshape(-1)[1:-1].tolist())
sys.exit(0 if mx.array_equal(padded, whole[:, 1:-1]).item() else 1)
