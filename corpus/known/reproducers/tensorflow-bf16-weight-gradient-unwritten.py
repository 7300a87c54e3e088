# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN: the gradient of a filter in bf16 has numbers that nobody wrote.
#     python3 tensorflow-bf16-weight-gradient-unwritten.py
# Exit code: 0 right, 1 wrong.
import sys

import numpy
import tensorflow as tf

wrong = False
for kind in (tf.float32, tf.bfloat16):
    for _ in range(20):
        filled = [tf.fill((1, 5, 17, 1), tf.cast(3, kind)) for _ in range(50)]  # what the memory holds afterwards
        del filled
        gradient = tf.raw_ops.Conv2DBackpropFilter(
            input=tf.ones((1, 1, 1, 17), kind), filter_sizes=[1, 5, 17, 1], out_backprop=tf.ones((1, 1, 1, 1), kind),
            strides=[1, 1, 3, 1], padding="SAME")
        taps = tf.cast(gradient, tf.float32).numpy()[0, :, :, 0].sum(1)
        if not numpy.array_equal(taps, [0, 0, 17, 0, 0]):
            wrong = True
            print(kind.name, "sums of taps", taps, "must be [0 0 17 0 0]: one pixel, under the middle of the kernel")
sys.exit(wrong)
