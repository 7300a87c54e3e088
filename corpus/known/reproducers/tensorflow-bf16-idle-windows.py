# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN, bf16: a convolution some of whose rows of windows see padding alone ends the process.
#     python3 tensorflow-bf16-idle-windows.py
# Exit code: 0 right, 1 wrong; a signal is the bug as well.
import sys

import tensorflow as tf

# The kernel has two rows, two apart: above the image, which has one row, and below.
image, filters = tf.ones([1, 1, 5, 2], tf.bfloat16), tf.ones([2, 2, 1, 8], tf.bfloat16)
for turn in range(10):
    got = tf.nn.conv2d(image, filters, 1, [[0, 0], [1, 1], [2, 2], [0, 0]], dilations=2)
is_right = not got.numpy().any()
print(f"TensorFlow {tf.__version__}: {'right' if is_right else 'wrong'}")
sys.exit(0 if is_right else 1)
