# SPDX-License-Identifier: Apache-2.0
# TensorFlow: conv3d with SAME reads the wrong planes if the stride is larger than the kernel; f32 without oneDNN only.
#     python3 tensorflow-conv3d-same-stride-beyond-kernel.py
# Exit code: 0 right, 1 wrong.
import sys

import tensorflow as tf

image = tf.reshape(tf.constant([1., 2., 3., 4.], tf.float64), [1, 4, 1, 1, 1])
filters = tf.ones([1, 1, 1, 1, 1], tf.float64)
# One plane in four, and no padding: tf.nn, "Notes on padding", has max((out - 1) * stride + kernel - in, 0) = 0.
got = tf.nn.conv3d(image, filters, [1, 4, 4, 4, 1], "SAME").numpy().item()
print(f"TensorFlow {tf.__version__}: {got}, must be 1.0, as with VALID: "
      f"{tf.nn.conv3d(image, filters, [1, 4, 4, 4, 1], 'VALID').numpy().item()}")
sys.exit(0 if got == 1 else 1)
