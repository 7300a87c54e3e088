# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, on processors with AVX-512: the filter gradient of a strided 1x1 convolution ends the process.
#     python3 tensorflow-strided-1x1-weight-gradient.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import tensorflow as tf

for _ in range(10):
    gradient = tf.raw_ops.Conv2DBackpropFilter(
        input=tf.ones((2, 80, 80, 3)), filter_sizes=[1, 1, 3, 8], out_backprop=tf.ones((2, 40, 40, 8)),
        strides=[1, 2, 2, 1], padding="VALID").numpy()
print("gradient", set(gradient.flatten().tolist()), "must be", 2 * 40 * 40)
sys.exit(bool((gradient != 2 * 40 * 40).any()))
