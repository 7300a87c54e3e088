# SPDX-License-Identifier: Apache-2.0
# TensorFlow with oneDNN: conv2d and conv3d of no image have the extents and channels of their input.
#     python3 tensorflow-empty-batch.py
# Exit code: 0 right, 1 wrong.
import sys

import tensorflow as tf

flat = tf.nn.conv2d(tf.zeros((0, 4, 4, 2)), tf.zeros((2, 2, 2, 3)), 1, "VALID")
deep = tf.nn.conv3d(tf.zeros((0, 4, 4, 4, 2)), tf.zeros((2, 2, 2, 2, 3)), [1] * 5, "VALID")
print("conv2d", flat.shape, "must be (0, 3, 3, 3); conv3d", deep.shape, "must be (0, 3, 3, 3, 3)")
sys.exit(tuple(flat.shape) != (0, 3, 3, 3) or tuple(deep.shape) != (0, 3, 3, 3, 3))
