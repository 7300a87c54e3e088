# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, on processors with AVX-512: the filter gradient of a strided 1x1 convolution ends the process.
#     python3 tensorflow-strided-1x1-weight-gradient.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import tensorflow as tf

wrong = 0
for size in range(40, 120, 2):
    half = size // 2
    gradient = tf.raw_ops.Conv2DBackpropFilter(
        input=tf.ones((2, size, size, 3)), filter_sizes=[1, 1, 3, 8], out_backprop=tf.ones((2, half, half, 8)),
        strides=[1, 2, 2, 1], padding="VALID").numpy()
    wrong += (gradient != 2 * half * half).sum()
print(wrong, "elements are wrong, must be 0")
sys.exit(bool(wrong))
