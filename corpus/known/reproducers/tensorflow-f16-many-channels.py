# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, on processors with AVX512-FP16: conv2d in f16 adds other memory.
#     python3 tensorflow-f16-many-channels.py
# Exit code: 0 right, 1 wrong.
import sys

import numpy
import tensorflow as tf

numbers = numpy.random.default_rng(1)
wrong = 0
for channels in (64, 65, 96, 129, 257, 313):
    src = numbers.integers(-1, 2, (1, 1, 1, channels)).astype(numpy.float16)
    wei = numbers.integers(-1, 2, (2, 1, channels, 16)).astype(numpy.float16)
    padding = [[0, 0], [1, 0], [0, 0], [0, 0]]  # a row of zeros above the image
    dst = tf.nn.conv2d(src, wei, 1, padding).numpy().flatten()
    right = src.flatten().astype(numpy.float64) @ wei[1, 0]  # whole numbers, at most 313: exact
    print(channels, "channels: largest error", numpy.abs(dst - right).max(), "of results up to", numpy.abs(right).max())
    wrong += not numpy.array_equal(dst, right)
sys.exit(wrong > 0)
