# SPDX-License-Identifier: Apache-2.0
# MLX on a CPU: a convolution of float64 is computed in float32.
#     python3 mlx-f64-in-f32.py
# Exit code 0: right. 1: wrong.
import sys

import mlx.core as mx

with mx.stream(mx.cpu):
    image = mx.array([16777217.0, 1e300], dtype=mx.float64).reshape(1, 2, 1)  # 2^24 + 1, and what f32 cannot hold
    result = mx.conv1d(image, mx.ones((1, 1, 1), dtype=mx.float64))
    print(result.dtype, "of", image.reshape(2).tolist(), "times 1:", result.reshape(2).tolist())
    sys.exit(0 if mx.array_equal(image, result).item() else 1)
