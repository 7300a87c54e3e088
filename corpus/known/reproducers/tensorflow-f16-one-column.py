# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, on processors with AVX512-FP16: conv2d in f16 adds other memory.
#     python3 tensorflow-f16-one-column.py
# Exit code: 0 right, 1 wrong.
import sys

import numpy
import tensorflow as tf

numbers = numpy.random.default_rng(1)
wrong = 0
for channels in (64, 65, 96, 129, 257, 313):
    src = numbers.integers(-1, 2, (1, 2, 1, channels)).astype(numpy.float16)
    wei = numbers.integers(-1, 2, (2, 1, channels, 16)).astype(numpy.float16)
    dst = tf.nn.conv2d(src, wei, 1, "VALID").numpy().flatten()
    right = src.flatten().astype(numpy.float64) @ wei.reshape(-1, 16)  # whole numbers, at most 626: exact
    print(channels, "channels: largest error", numpy.abs(dst - right).max(), "of results up to", numpy.abs(right).max())
    wrong += not numpy.array_equal(dst, right)
sys.exit(wrong > 0)
